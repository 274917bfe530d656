import type { ChangeKind } from './change.ts';
import type { Difference } from './drift.ts';
import type { GroupField } from './group.ts';
import type { HarmKind } from './harm.ts';
import type { OwnCallKind } from './own-call.ts';
import type { UserField } from './user.ts';

/**
 * Status of a plan.
 * - `held`: it waits for an operator
 * - `approved`: its actions wait for the service, or are about to
 * - `applied`: each was done or dropped out
 * - `discarded`: nothing of it is done
 */
export const PLAN_STATUSES = ['held', 'approved', 'applied', 'discarded'] as const;
/** Status of a plan. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/**
 * Sources of plans.
 * - `sweep`, `tail`: a complete comparison, or a look at what the audit log names
 * - `operator`: a repair that an operator asked for
 * - `undo`: the undoing of another plan
 * - `provider`: removals that identity providers asked for, more than `limits.provider` allows
 */
export const PLAN_SOURCES = ['sweep', 'tail', 'operator', 'undo', 'provider'] as const;
/** Source of a plan. */
export type PlanOrigin = (typeof PLAN_SOURCES)[number];

/** Sources of plans that repair differences by the policy: a newer plan of them replaces one that waits. */
export const REPAIR_SOURCES = ['sweep', 'tail', 'operator'] as const satisfies PlanOrigin[];

/**
 * Sources of plans that hold changes back. Such a difference is no drift while its action is planned, and discarding
 * the plan makes what the service holds the desired state.
 */
export const HOLDING_SOURCES = ['provider'] as const satisfies PlanOrigin[];

/** True for plans that hold changes back. */
export function isHolding(source: PlanOrigin): boolean {
  const holding: readonly PlanOrigin[] = HOLDING_SOURCES;
  return holding.includes(source);
}

/**
 * Status of an action.
 * - `planned`: nothing was done yet
 * - `released`: what is desired waits for the service
 * - `done`: the service holds it
 * - `dropped`: its precondition held no longer
 */
export type ActionStatus = 'planned' | 'released' | 'done' | 'dropped';

/** One action of a plan: has the service hold `desired` where it was seen to hold `observed`. */
export interface PlanAction extends Omit<Difference, 'kind'> {
  readonly kind: ChangeKind;
  readonly harm: HarmKind | undefined;
}

/** Kind of a held action. `missing`: it would be looked for, and made anew where it is really gone. */
export type HeldKind = OwnCallKind | 'user.missing' | 'group.missing';

/** Difference between desired and observed that is left alone until it is approved. */
export interface HeldAction {
  readonly resourceType: 'user' | 'group';
  readonly resourceId: string;
  readonly kind: HeldKind;
  /** The field that would wait, or the list that the user is in. */
  readonly field: UserField | GroupField | 'memberships' | 'group_admins';
  /** The SCIM id of the user, in a list. */
  readonly memberId?: string;
  /** Text that stands for the desired and the observed value: an action whose precondition no longer holds drops out. */
  readonly precondition: string;
}
