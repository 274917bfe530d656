import type { LinkChange } from '../../domain/group.ts';
import type { LinkTable } from '../../store/links/links.ts';
import type { Problem } from '../outcome.ts';
import type { GroupPart } from './outcome.ts';

/** The refused people of one list of a group. */
export interface RefusedLinks {
  readonly kind: 'member' | 'admin';
  readonly table: LinkTable;
  readonly changes: readonly LinkChange[];
}

/** The people among the refused parts, list by list; a list of whom nobody was refused is there, empty. */
export function groupRefusedLinks(parts: readonly GroupPart[]): RefusedLinks[] {
  const toChanges = (kind: RefusedLinks['kind']) =>
    parts.flatMap((part) => (part.kind === kind ? [part.change] : []));
  return [
    { kind: 'member', table: 'memberships', changes: toChanges('member') },
    { kind: 'admin', table: 'group_admins', changes: toChanges('admin') },
  ];
}

/** Refused parts of which the service said the same. */
export interface SameProblem {
  readonly told: Problem;
  readonly same: readonly GroupPart[];
}

/** The refused parts by what the service said: of each person, or `problem` of all. */
export function groupByProblem(parts: readonly GroupPart[], problem: Problem): SameProblem[] {
  const groups = new Map<string, { told: Problem; same: GroupPart[] }>();
  for (const part of parts) {
    const told = part.kind === 'field' ? problem : (part.problem ?? problem);
    const key = JSON.stringify(told);
    const group = groups.get(key) ?? { told, same: [] };
    group.same.push(part);
    groups.set(key, group);
  }
  return [...groups.values()];
}
