import { type ChangeKind, findHarm, isHandOver } from '../../domain/change.ts';
import { isJsonObject } from '../../domain/json.ts';
import { isHolding, type PlanAction, toPlace } from '../../domain/plan.ts';
import { isWantedActive } from '../../domain/user.ts';
import { countActions, type PlanCounts } from '../../plan/plan-summary.ts';
import { mayHaveMade } from '../../store/audit/own-calls.ts';
import { type ActionQuery, listPlanActions, toAction } from '../../store/plans/actions.ts';
import {
  findPlan,
  findUndoing,
  lockPlan,
  type PlanRow,
  updatePlan,
} from '../../store/plans/plans.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, tellPlan } from '../add-plan.ts';
import { restartHarmCount } from '../provider-limit.ts';
import { findLink } from './current.ts';
import type { DecisionDeps } from './deps.ts';
import { isOwnedAs } from './hand-over.ts';

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
  if (decision.kind === 'done') tellPlan(events, decision.plan, 0);
  return decision;
}

/** Result of the request to undo a plan. */
export type UndoDecision =
  | { readonly kind: 'done'; readonly plan: PlanRow; readonly leftOut: number }
  | { readonly kind: 'unknown' }
  /** Another plan undoes it already and is not done. */
  | { readonly kind: 'undoing'; readonly plan: PlanRow }
  /** Nothing of it was done yet, or all of it was written by the provider since, or cannot be undone. */
  | { readonly kind: 'nothing'; readonly leftOut: number };

/**
 * Plans to undo what a plan did: memberships, admin lists, active flags and handovers that the provider has not written
 * since, but nothing that the service held already. The value observed before becomes the desired one.
 */
export async function undoPlan(deps: DecisionDeps, id: string, by: string): Promise<UndoDecision> {
  return deps.store.write(async (tx): Promise<UndoDecision> => {
    // The lock makes two simultaneous requests to undo come one after the other.
    if ((await lockPlan(tx, id)) === undefined) return { kind: 'unknown' };
    const before = await findUndoing(tx, id);
    if (before !== undefined) return { kind: 'undoing', plan: before };
    const { actions, leftOut } = await listUndoing(tx, deps, id);
    if (actions.length === 0) return { kind: 'nothing', leftOut };
    const standing = { status: 'approved', source: 'undo', reason: null, automatic: 0 } as const;
    const plan = await addPlan(tx, actions, { ...standing, by, now: deps.clock.now(), undoes: id });
    return { kind: 'done', plan, leftOut };
  });
}

/** Effect of undoing a plan: the kinds of its actions, and the number of those of the plan that stay. */
export interface UndoPreview {
  readonly counts: PlanCounts;
  readonly leftOut: number;
}

/** Tells what undoing a plan would do now; undefined: there is no such plan. */
export async function previewUndo(
  deps: DecisionDeps,
  id: string,
): Promise<UndoPreview | undefined> {
  const { read } = deps.store;
  if ((await findPlan(read, id)) === undefined) return undefined;
  const { actions, leftOut } = await listUndoing(read, deps, id);
  return { counts: countActions(actions), leftOut };
}

/** Actions that are read at once. */
const PART = 500;

/** Lists the opposites of what a plan has done, and counts what cannot be undone. */
async function listUndoing(
  db: Db,
  deps: DecisionDeps,
  planId: string,
): Promise<{ actions: PlanAction[]; leftOut: number }> {
  const actions: PlanAction[] = [];
  let leftOut = 0;
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const query: ActionQuery = { status: 'done', afterId, limit: PART };
    const rows = await listPlanActions(db, planId, query);
    for (const row of rows) {
      const action = toAction(row);
      const opposite = toOpposite(action);
      const wasDone = isHandOver(row.kind) || (await mayHaveMade(db, row));
      const isLeft = !wasDone || !(await isStillDesired(db, deps, action));
      if (opposite !== undefined && !isLeft) actions.push(opposite);
      else leftOut += 1;
    }
    afterId = rows.at(-1)?.id;
  }
  return { actions, leftOut };
}

/** Opposite of each change that can be undone. */
const OPPOSITES: Readonly<Partial<Record<ChangeKind, ChangeKind>>> = {
  'user.deactivate': 'user.activate',
  'user.activate': 'user.deactivate',
  'member.remove': 'member.add',
  'member.add': 'member.remove',
  'admin.remove': 'admin.add',
  'admin.add': 'admin.remove',
  'user.hand-over': 'user.hand-over',
  'group.hand-over': 'group.hand-over',
};

function toOpposite(action: PlanAction): PlanAction | undefined {
  const kind = OPPOSITES[action.kind];
  if (kind === undefined) return undefined;
  const opposite = { ...action, kind, desired: action.observed, observed: action.desired };
  return { ...opposite, harm: findHarm(opposite) };
}

/** True when the value that the plan brought is still desired, so that no later write has changed it. */
async function isStillDesired(
  db: Db,
  { policy }: DecisionDeps,
  action: PlanAction,
): Promise<boolean> {
  const { type, resourceId: id, memberId, desired } = action;
  const row = await findRow(db, { type, id });
  if (row === undefined || row.deleted_at !== null || !isJsonObject(desired)) return false;
  if (isHandOver(action.kind)) return isOwnedAs(row, desired);
  const place = toPlace(action);
  if (place.kind === 'link') {
    const link = await findLink(db, row, { list: place.list, memberId });
    return (link?.desired === 1) === (desired.present === true);
  }
  if (row.type === 'group') return false;
  const wanted = toUserState(row).desired;
  return isWantedActive(wanted, policy.deactivation) === (desired.active === true);
}
