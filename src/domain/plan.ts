import { CHANGES, type ChangeKind, listChangedFields } from './change.ts';
import type { Difference } from './drift.ts';
import { isEntityField } from './entity.ts';
import type { GroupField } from './group.ts';
import type { HarmKind } from './harm.ts';
import { userId } from './ids.ts';
import { isJsonObject } from './json.ts';
import type { LinkKey } from './link.ts';
import type { UserField } from './user.ts';

/**
 * Status of a plan.
 * - `making`: the service is read first
 * - `held`: it waits for an operator
 * - `approved`: its actions wait for the service, or are about to
 * - `applied`: each was done or dropped out
 * - `discarded`: nothing of it is done
 */
export const PLAN_STATUSES = ['making', 'held', 'approved', 'applied', 'discarded'] as const;
/** One of these statuses. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Sources of plans that repair differences by the policy: a newer plan of them replaces one that waits. */
export const REPAIR_SOURCES = ['sweep', 'audit', 'operator'] as const;

/**
 * Sources of plans that hold changes back. Such a difference is no drift while its action is planned, and discarding
 * the plan makes what the service holds the desired state.
 */
export const HOLDING_SOURCES = ['provider', 'first-run', 'restore'] as const;

/**
 * Sources of plans.
 * - `sweep`, `audit`: a complete comparison, or a look at what the audit log names
 * - `operator`: a repair that an operator asked for
 * - `undo`: the undoing of another plan
 * - `provider`: removals that identity providers asked for, more than `limits.provider` allows
 * - `first-run`: what was asked for while the bridge observed
 * - `restore`: every difference between a restored backup and the service
 * - `handover`: people and groups of one provider go to another one
 */
export const PLAN_SOURCES = [...REPAIR_SOURCES, 'undo', ...HOLDING_SOURCES, 'handover'] as const;
/** One of these sources. */
export type PlanOrigin = (typeof PLAN_SOURCES)[number];

/** True for the plan of a store that was observing, or is older than the service: the whole service was read for it. */
export function isOfRecovery(source: PlanOrigin): boolean {
  return source === 'first-run' || source === 'restore';
}

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

type ChangePlace =
  | { readonly kind: 'fields'; readonly fields: readonly (UserField | GroupField)[] }
  | ({ readonly kind: 'link' } & LinkKey);

/** Finds the place of a change; one of several fields concerns those that have a value. */
export function toPlace({
  kind,
  memberId,
  desired,
}: Pick<PlanAction, 'kind' | 'memberId' | 'desired'>): ChangePlace {
  const { about } = CHANGES[kind];
  if (about === 'entity') {
    return { kind: 'fields', fields: isEntityField(memberId) ? [memberId] : [] };
  }
  if (about !== undefined) return { kind: 'link', list: about, userId: userId(memberId) };
  const fields = listChangedFields(kind);
  const isIn = (field: string) => isJsonObject(desired) && Object.hasOwn(desired, field);
  return { kind: 'fields', fields: fields.length === 1 ? fields : fields.filter(isIn) };
}
