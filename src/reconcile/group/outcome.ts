import type { Echo } from '../../domain/cell.ts';
import type { SeenEntities } from '../../domain/entity.ts';
import type {
  DoneLink,
  GroupField,
  GroupState,
  LinkChange,
  ObservedGroup,
  UpstreamGroupIds,
} from '../../domain/group.ts';
import type { GroupAction } from '../../plan/actions.ts';
import type { GroupPolicy } from '../../plan/plan-group.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { LinkTable } from '../../store/links/links.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Outcome, Problem } from '../outcome.ts';
import type { Step } from '../resource-kind.ts';

/** Knowledge that a step gained about a group. */
export interface GroupKnown {
  /** Ids that the step learned; the others stay. */
  readonly ids?: Partial<UpstreamGroupIds>;
  readonly observed?: ObservedGroup;
  /** Name as it was sent and as it came back. */
  readonly echo?: Echo;
  /** True when the service says that the group does not exist. */
  readonly missing?: true;
  /** True when the group existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Members whose change now holds, as planned. */
  readonly members?: readonly DoneLink[];
  /** Admins whose change now holds, as planned. */
  readonly admins?: readonly DoneLink[];
  /** All members of the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[];
  /** The entities of the group, as they were listed, or changed since. */
  readonly entities?: SeenEntities | undefined;
  readonly doneFields?: readonly GroupField[];
  /** Members that the service refused alone, while it took the others. */
  readonly refusedMembers?: readonly RefusedLink[];
  /** Members at which the service failed again and again while it took others: they rest, and nothing is taken back. */
  readonly failedLinks?: readonly RefusedLink[];
  /** True when the service refuses an inactive user, so that the change waits for the activation. */
  readonly waits?: true;
}

/** One member or admin, and the service's words about the change. */
export interface RefusedLink {
  readonly kind: 'member' | 'admin';
  readonly change: LinkChange;
  readonly problem: Problem;
}

/** Subject of a refusal: a field of the group, one member or one admin. */
export type GroupPart =
  | { readonly kind: 'field'; readonly field: GroupField }
  | {
      readonly kind: 'member' | 'admin';
      readonly change: LinkChange;
      /** Words of the service about this member or admin, where it gave them one by one. */
      readonly problem?: Problem;
    };

/** Outcome of a step for a group. */
export type GroupOutcome = Outcome<GroupKnown, GroupPart>;

/** Types of groups, as a kind of resource. */
export interface GroupTypes {
  readonly state: GroupState;
  readonly action: GroupAction;
  readonly known: GroupKnown;
  readonly part: GroupPart;
  readonly row: GroupRow;
  readonly undo: GroupUndo;
  readonly policies: {
    readonly policy: GroupPolicy;
    /** True when the service refuses inactive users as members. */
    readonly inactiveWait: boolean;
  };
}

/** Step of a group that ended, with all that recording it needs. */
export type GroupStep = Step<GroupTypes>;

/** Refused changes of one list of a group. */
export interface RefusedLinks {
  readonly kind: 'member' | 'admin';
  readonly table: LinkTable;
  readonly changes: readonly LinkChange[];
}

/** Refused changes list by list; a list without any is there, empty. */
export function groupRefusedLinks(parts: readonly GroupPart[]): RefusedLinks[] {
  const toChanges = (kind: RefusedLinks['kind']) =>
    parts.flatMap((part) => (part.kind === kind ? [part.change] : []));
  return [
    { kind: 'member', table: 'memberships', changes: toChanges('member') },
    { kind: 'admin', table: 'group_admins', changes: toChanges('admin') },
  ];
}

/** Refused parts with the same words of the service. */
export interface SameProblem {
  readonly told: Problem;
  readonly same: readonly GroupPart[];
}

/** Groups the refused parts by the words of the service: those of the part, or `problem`. */
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
