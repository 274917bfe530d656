import type { Echo } from '../../domain/cell.ts';
import type { SeenEntities } from '../../domain/entity.ts';
import type { DoneLink, GroupField, GroupState, ObservedGroup } from '../../domain/group.ts';
import type { GroupAction } from '../../plan/actions.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import type { Outcome } from '../outcome.ts';
import type { Known, Step } from '../resource-kind.ts';

/** Knowledge that a step gained about a group. */
export interface GroupKnown extends Known {
  readonly observed?: ObservedGroup;
  /** Name as it was sent and as it came back. */
  readonly echo?: Echo;
  /** Members and admins whose change now holds, as planned. */
  readonly links?: readonly DoneLink[];
  /** All members of the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[];
  /** The entities of the group, as they were listed, or changed since. */
  readonly entities?: SeenEntities | undefined;
  readonly doneFields?: readonly GroupField[];
  /** True when the service refuses an inactive user, so that the change waits for the activation. */
  readonly waits?: true;
}

/** Outcome of a step for a group. */
export type GroupOutcome = Outcome<GroupKnown>;

/** Types of groups, as a kind of resource. */
export interface GroupTypes {
  readonly state: GroupState;
  readonly action: GroupAction;
  readonly known: GroupKnown;
  readonly field: GroupField;
  readonly row: GroupRow;
}

/** Step of a group that ended, with all that recording it needs. */
export type GroupStep = Step<GroupTypes>;
