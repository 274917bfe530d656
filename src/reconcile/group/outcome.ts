import type {
  GroupField,
  LinkChange,
  ObservedGroup,
  SettledLink,
  UpstreamGroupIds,
} from '../../domain/group.ts';
import type { Outcome, Problem } from '../outcome.ts';

/** What a step taught about a group. */
export interface GroupKnown {
  /** Ids that the step learned; those that it does not name stay. */
  readonly ids?: Partial<UpstreamGroupIds>;
  readonly observed?: ObservedGroup;
  /** True when the service says that the group does not exist. */
  readonly missing?: true;
  /** The group existed before the bridge asked for it, so it is adopted, not created. */
  readonly adopted?: true;
  /** Members whose change now holds, as planned. */
  readonly members?: readonly SettledLink[];
  /** Admins whose change now holds, as planned. */
  readonly admins?: readonly SettledLink[];
  /** Everybody in the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[];
  readonly settled?: readonly GroupField[];
  /** Members whom the service refused alone, while their neighbours were taken. */
  readonly refusedMembers?: readonly RefusedLink[];
  /** People of whom it failed to say anything again and again, while it took others: they rest, and nothing is taken back. */
  readonly failedLinks?: readonly RefusedLink[];
  /** True when the service refuses an inactive person, so the change waits for the activation. */
  readonly waits?: true;
}

/** One person of a list, and what the service said of them. */
export interface RefusedLink {
  readonly kind: 'member' | 'admin';
  readonly change: LinkChange;
  readonly problem: Problem;
}

/** What a refusal is about: a field of the group, or one person. */
export type GroupPart =
  | { readonly kind: 'field'; readonly field: GroupField }
  | {
      readonly kind: 'member' | 'admin';
      readonly change: LinkChange;
      /** What the service said of this person, where it said it of each. */
      readonly problem?: Problem;
    };

/** How a step for a group ended. */
export type GroupOutcome = Outcome<GroupKnown, GroupPart>;
