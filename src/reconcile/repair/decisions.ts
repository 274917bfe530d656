import { isUnmanagedKind } from '../../domain/drift.ts';
import { isHolding } from '../../domain/plan.ts';
import { enterRules } from '../../rules/follow.ts';
import { changeDrifts, type DriftRow, findDrift } from '../../store/drifts.ts';
import { lockPlan, type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { tellPlan } from '../add-plan.ts';
import { restartHarmCount } from '../provider-limit.ts';
import { isDriftStillSo } from './current.ts';
import type { DecisionDeps } from './deps.ts';
import { acceptDrift, adoptUnmanaged } from './desire.ts';
import { dropRepairs, lockDrifts, tellDiscarded } from './drop-repairs.ts';
import { planRepairs, toPlanAction } from './make-plan.ts';
import { findObstacle } from './obstacle.ts';

/** Result of an operator's decision about a plan. */
export type PlanDecision =
  | { readonly kind: 'done'; readonly plan: PlanRow }
  | { readonly kind: 'unknown' }
  /** It does not wait for a decision. */
  | { readonly kind: 'not-held'; readonly plan: PlanRow }
  /** It is another plan than the one that was looked at. */
  | { readonly kind: 'other-hash'; readonly plan: PlanRow };

/** Approves or discards a waiting plan, if it is the one with this hash; a discard needs none. */
export async function decidePlan(
  { store, clock, events }: DecisionDeps,
  id: string,
  { status, hash, by }: { status: 'approved' | 'discarded'; hash: string | undefined; by: string },
): Promise<PlanDecision> {
  const decision = await store.write(async (tx): Promise<PlanDecision> => {
    const plan = await lockPlan(tx, id);
    if (plan === undefined) return { kind: 'unknown' };
    if (plan.status !== 'held') return { kind: 'not-held', plan };
    if (hash !== undefined && hash !== plan.hash) return { kind: 'other-hash', plan };
    const now = clock.now();
    // What a holding plan is about is accepted first: then it is over.
    const ended_at = isHolding(plan.source) ? null : now;
    const ended = status === 'discarded' ? { reason: 'an operator', ended_at } : {};
    // An operator said that this is meant.
    if (plan.source === 'provider' && status === 'approved') await restartHarmCount(tx, now);
    // An operator decided, so the plan counts for no limit.
    const change = { status, automatic: 0, decided_at: now, decided_by: by, ...ended };
    await updatePlan(tx, id, change);
    return { kind: 'done', plan: { ...plan, ...change } };
  });
  if (decision.kind === 'done') {
    tellPlan(events, decision.plan, 0);
  }
  return decision;
}

/** Result of an operator's decision about a drift. */
export type DriftDecision =
  | { readonly kind: 'done'; readonly drift: DriftRow; readonly plan?: PlanRow }
  | { readonly kind: 'unknown' }
  /** It is over, or being repaired. */
  | { readonly kind: 'not-open'; readonly drift: DriftRow }
  /** The bridge owns nothing of it, or the service holds something else by now. */
  | { readonly kind: 'not-possible'; readonly drift: DriftRow; readonly why?: string };

/** Repairs one drift, whatever the policy says and without counting for a limit. */
export async function repairDrift(
  deps: DecisionDeps,
  id: string,
  by: string,
): Promise<DriftDecision> {
  return decideDrift(deps, id, async (tx, drift) => {
    const hindrance = await findHindrance(tx, deps, drift);
    if (hindrance !== undefined) return { ...hindrance, drift };
    const standing = { ...BY_OPERATOR, automatic: 0, by, now: deps.clock.now() } as const;
    const plan = await planRepairs(tx, [drift], standing);
    return { kind: 'done', drift: { ...drift, plan_id: plan.id }, plan };
  });
}

/** Standing of a plan of repairs that an operator asks for: it is followed at once. */
export const BY_OPERATOR = { status: 'approved', source: 'operator', reason: null } as const;

/** Reason why a drift that is neither over nor being repaired cannot be repaired. */
type Hindrance = Omit<Extract<DriftDecision, { kind: 'not-possible' }>, 'drift'>;

/** Finds why such a drift cannot be repaired; undefined: it can. */
export async function findHindrance(
  tx: Db,
  deps: DecisionDeps,
  drift: DriftRow,
): Promise<Hindrance | undefined> {
  if (isUnmanagedKind(drift.kind)) return { kind: 'not-possible' };
  const why = await findObstacle(tx, deps, toPlanAction(drift));
  if (why !== undefined) return { kind: 'not-possible', why };
  return (await isDriftStillSo(tx, deps, drift)) ? undefined : { kind: 'not-possible' };
}

/** Accepts the observed value as the desired one, whatever the policy says. */
export async function acceptOne(deps: DecisionDeps, id: string): Promise<DriftDecision> {
  const known = await findDrift(deps.store.read, id);
  if (known !== undefined && isUnmanagedKind(known.kind) && known.status === 'open') {
    const isDone = await adoptUnmanaged(deps, known);
    return { kind: isDone ? 'done' : 'not-possible', drift: known };
  }
  return decideDrift(deps, id, async (tx, drift) => {
    const isDone = await acceptDrift(tx, deps, drift);
    return { kind: isDone ? 'done' : 'not-possible', drift };
  });
}

/** Time until which a drift is left alone, and the reason. */
export interface Ignoring {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly reason: string;
  /** Name of the operator. */
  readonly by: string;
}

/** Leaves a drift alone until then. */
export async function ignoreDrift(
  deps: DecisionDeps,
  id: string,
  { until, reason, by }: Ignoring,
): Promise<DriftDecision> {
  return decideDrift(deps, id, async (tx, drift) => {
    const change = { status: 'ignored', ignored_until: until, note: reason, noted_by: by } as const;
    await changeDrifts(tx, [drift], change);
    return { kind: 'done', drift: { ...drift, ...change } };
  });
}

/** Decides about a drift. Its repair drops out of the plan that has it, which would overrule the decision. */
async function decideDrift(
  { store, rules, clock, events }: DecisionDeps,
  id: string,
  act: (tx: Db, drift: DriftRow) => Promise<DriftDecision>,
): Promise<DriftDecision> {
  const { decision, discarded } = await store.write(async (tx) => {
    await enterRules(tx, rules, 'names');
    const drift = (await lockDrifts(tx, [id])).get(id);
    if (drift === undefined) return { decision: { kind: 'unknown' } as const, discarded: [] };
    const made = isUndecided(drift) ? await act(tx, drift) : ({ kind: 'not-open', drift } as const);
    const empty = made.kind === 'done' ? await dropRepairs(tx, [drift], clock.now()) : [];
    return { decision: made, discarded: empty };
  });
  tellDiscarded(events, discarded);
  return decision;
}

/** True for a drift that is neither over nor being repaired. */
export function isUndecided({ status }: Pick<DriftRow, 'status'>): boolean {
  return status === 'open' || status === 'contested' || status === 'ignored';
}
