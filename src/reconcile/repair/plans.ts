import { type ChangeKind, findHarm, isHandOver } from '../../domain/change.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isHolding, type PlanAction, toPlace } from '../../domain/plan.ts';
import { isWantedActive } from '../../domain/user.ts';
import { mayHaveMade } from '../../store/audit/own-calls.ts';
import { isProvider } from '../../store/credentials.ts';
import { parseStored, toGroupColumns, toUserColumns } from '../../store/engine/columns.ts';
import {
  lockHeld,
  lockPlans,
  type PlanActionRow,
  type PlanRow,
  toAction,
} from '../../store/plans.ts';
import { findRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listWhere, updateWhere } from '../../store/tables.ts';
import { addPlan, tellPlan } from '../add-plan.ts';
import type { ProcessDeps } from '../deps.ts';
import { restartHarmCount } from '../limits.ts';
import { findLink } from './current.ts';
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
    await lockPlans(tx);
    const plan = await findOne(tx, 'plans', { id });
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
    await updateWhere(tx, 'plans', { id }, change);
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
    // Two simultaneous requests to undo come one after the other.
    await lockPlans(tx);
    if ((await findOne(tx, 'plans', { id })) === undefined) return { kind: 'unknown' };
    const before = await findOne(tx, 'plans', { undoes: id, status: 'approved' });
    if (before !== undefined) return { kind: 'undoing', plan: before };
    const { actions, leftOut } = await listUndoing(tx, deps, id);
    if (actions.length === 0) return { kind: 'nothing', leftOut };
    const standing = { status: 'approved', source: 'undo', reason: null, automatic: 0 } as const;
    const plan = await addPlan(tx, actions, { ...standing, by, now: deps.clock.now(), undoes: id });
    return { kind: 'done', plan, leftOut };
  });
}

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
    const done = { plan_id: planId, status: 'done', id: { '>': afterId } } as const;
    const next = { order: 'id', limit: PART } as const;
    const rows: PlanActionRow[] = await listWhere(db, 'plan_actions', done, next);
    for (const row of rows) {
      const action = toAction(row);
      const opposite = toOpposite(action);
      const wasDone = isHandOver(row.kind) || (await mayHaveMade(db, row));
      const mayUndo = opposite && wasDone && (await isStillDesired(db, deps, action));
      if (mayUndo) actions.push(opposite);
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
  const { type, resourceId: id, desired } = action;
  const row = await findRow(db, { type, id });
  if (row === undefined || row.deleted_at !== null || !isJsonObject(desired)) return false;
  if (isHandOver(action.kind)) return isOwnedAs(row, desired);
  const place = toPlace(action);
  if (place.kind === 'link') {
    return ((await findLink(db, row, place))?.desired === 1) === (desired.present === true);
  }
  if (row.type === 'group') return false;
  const wanted = toUserState(row).desired;
  return isWantedActive(wanted, policy.deactivation) === (desired.active === true);
}

/** The provider that manages a user or group, and the id by which it knows that one. */
interface Ownership {
  readonly provider: string;
  /** null: it gave none, or is yet to give it. */
  readonly externalId: string | null;
}

/** A user or group that goes from one provider to another. */
export interface HandOver {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly from: Ownership;
  readonly to: Ownership;
}

/** Stores a plan that hands over, for an operator to approve, unless one waits already. @param reason in words */
export async function planHandover(
  { store, clock, events }: Pick<ProcessDeps, 'store' | 'clock' | 'events'>,
  handovers: readonly HandOver[],
  reason: string,
): Promise<{ readonly kind: 'planned' | 'waits'; readonly plan: PlanRow }> {
  const planned = await store.write(async (tx) => {
    const waiting = await lockHeld(tx, ['handover']);
    if (waiting !== undefined) return { kind: 'waits', plan: waiting } as const;
    const actions = handovers.map(({ type, id: resourceId, from, to }): PlanAction => {
      const values = { desired: { ...to }, observed: { ...from } };
      const subject = { type, resourceId, memberId: '' };
      return { kind: `${type}.hand-over`, ...subject, ...values, harm: undefined };
    });
    const standing = { status: 'held', source: 'handover', reason, automatic: 0 } as const;
    const plan = await addPlan(tx, actions, { ...standing, now: clock.now() });
    return { kind: 'planned', plan } as const;
  });
  if (planned.kind === 'planned') tellPlan(events, planned.plan);
  return planned;
}

/** Gives a user or group to another provider, unless it has changed hands since. Nothing of it reaches the service. */
export async function handOver(
  tx: Db,
  { clock }: Pick<ProcessDeps, 'clock'>,
  row: ResourceRow,
  { desired, observed }: PlanAction,
): Promise<boolean> {
  const { provider, externalId } = toOwnership(desired);
  if (!isOwnedAs(row, observed) || !(await isProvider(tx, provider))) return false;
  const { externalId: _, ...others } = parseStored<JsonObject>(row.attributes);
  const attributes = externalId === null ? others : { ...others, externalId };
  const columns = row.type === 'user' ? toUserColumns(attributes) : toGroupColumns(attributes);
  // No name changes, so nobody is followed by one.
  await updateRow(tx, row, {
    provider,
    version: row.version + 1,
    modified_at: clock.now(),
    attributes: columns.attributes,
    external_id: columns.external_id,
  });
  return true;
}

/** True if the same provider still manages a user or group under the same id. @param owned as a plan has it */
function isOwnedAs(row: ResourceRow, owned: JsonValue): boolean {
  const { provider, externalId } = toOwnership(owned);
  if (row.origin === null || row.deleted_at !== null) return false;
  return row.provider === provider && row.external_id === externalId;
}

function toOwnership(owned: JsonValue): Ownership {
  const { provider, externalId } = isJsonObject(owned) ? owned : {};
  return {
    provider: String(provider),
    externalId: typeof externalId === 'string' ? externalId : null,
  };
}
