import { isHolding } from '../../domain/plan.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { lockPlan, type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import { tellPlan } from '../add-plan.ts';
import { restartHarmCount } from '../provider-limit.ts';
import type { DecisionDeps } from './deps.ts';

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

/** Standing of a plan of repairs that an operator asks for: it is followed at once. */
export const BY_OPERATOR = { status: 'approved', source: 'operator', reason: null } as const;

/** True for a drift that is neither over nor being repaired. */
export function isUndecided({ status }: Pick<DriftRow, 'status'>): boolean {
  return status === 'open' || status === 'contested' || status === 'ignored';
}
