import type { LinkChange } from '../../domain/group.ts';
import type { LinkTable } from '../../store/links.ts';
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
