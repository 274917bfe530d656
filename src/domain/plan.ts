import type { Difference } from './drift.ts';
import type { HarmKind } from './harm.ts';

/**
 * Where a plan stands.
 * - `held`: it waits for an operator
 * - `approved`: its actions wait for the service, or are about to
 * - `applied`: each was done or dropped out
 * - `discarded`: nothing of it is done
 */
export const PLAN_STATUSES = ['held', 'approved', 'applied', 'discarded'] as const;
/** One of them. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Who asked for a plan: what was found, an operator, or the undoing of another plan. */
export type PlanOrigin = 'sweep' | 'tail' | 'operator' | 'undo';

/**
 * Where an action stands.
 * - `planned`: nothing was done yet
 * - `released`: what is desired waits for the service
 * - `done`: the service holds it
 * - `dropped`: its precondition held no longer
 */
export type ActionStatus = 'planned' | 'released' | 'done' | 'dropped';

/** One action of a plan: has the service hold `desired` again where it was seen to hold `observed`. */
export interface PlanAction extends Difference {
  readonly harm: HarmKind | undefined;
}
