import { ask } from '../../domain/cell.ts';
import { isHandOver, toChangeKey } from '../../domain/change.ts';
import { userId } from '../../domain/ids.ts';
import { claimLink } from '../../domain/link.ts';
import {
  type ActionStatus,
  isHolding,
  isOfRecovery,
  type PlanAction,
  toPlace,
} from '../../domain/plan.ts';
import { enterRules } from '../../rules/follow.ts';
import { changeDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { parseCells, toDueClass } from '../../store/engine/columns.ts';
import { changeNamed } from '../../store/links/links.ts';
import {
  countPlanActions,
  listPlanActions,
  type PlanActionRow,
  toAction,
  updatePlanActions,
} from '../../store/plans/actions.ts';
import { listDecidedPlans, lockPlan, type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import { type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toStaleColumns } from '../retry-columns.ts';
import { type Current, isStillSo, lockCurrent } from './current.ts';
import { handOver } from './decide-plan.ts';
import type { DriftDeps } from './deps.ts';
import { acceptHeld, desire } from './desire.ts';
import { findObstacle } from './obstacle.ts';
import { endRecovery } from './recovery-state.ts';

/** Actions of one transaction. */
const PART = 200;
/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;
/** The same of what was seen for the first run, in which the bridge changed nothing. */
const FIRST_RUN_FRESH_MS = 24 * 60 * 60_000;

/**
 * Takes up every action of the decided plans, or of those alone that hold changes back. An action that no longer holds is
 * dropped. After a crash the next process continues. Returns the plans that are not over yet.
 */
export async function followPlans(deps: DriftDeps, scope: 'all' | 'holding'): Promise<PlanRow[]> {
  const decided = await listDecidedPlans(deps.store.read);
  const plans = decided.filter(({ source }) => scope === 'all' || isHolding(source));
  for (const plan of plans) {
    // Rules may derive changes of others from what was accepted.
    while (await followPart(deps, plan)) deps.notify();
    await endRecovery(deps, plan);
  }
  return plans;
}

/** Ends those of these plans of which nothing waits any more. */
export async function endPlans(deps: DriftDeps, plans: readonly PlanRow[]): Promise<void> {
  const { store, clock, events } = deps;
  for (const { id, source } of plans) {
    const total = await store.write(async (tx) => {
      const plan = await lockPlan(tx, id);
      const counts = await countPlanActions(tx, id);
      // Another process may have ended it.
      if (plan === undefined || plan.ended_at !== null) return undefined;
      if (counts.has('planned') || counts.has('released')) return undefined;
      const isDone = plan.status === 'approved';
      const ended_at = clock.now();
      await updatePlan(tx, id, isDone ? { status: 'applied', ended_at } : { ended_at });
      return isDone ? counts.values().reduce((sum, count) => sum + count, 0) : undefined;
    });
    if (total !== undefined) events.plan({ id, source, status: 'applied', actions: total });
  }
}

/** Takes up the next actions of a plan. False when none was left. */
async function followPart(deps: DriftDeps, { id }: PlanRow): Promise<boolean> {
  return deps.store.write(async (tx) => {
    // Another process may be at it as well.
    const plan = await lockPlan(tx, id);
    if (plan === undefined || plan.ended_at !== null) return false;
    if (changesDesired(plan)) await enterRules(tx, deps.rules, 'names');
    const query = { status: 'planned', afterId: 0, limit: PART } as const;
    const rows = await listPlanActions(tx, id, query);
    for (const some of Map.groupBy(rows, ({ resource_id }) => resource_id).values()) {
      await followResource(tx, deps, { plan, rows: some });
    }
    return rows.length > 0;
  });
}

/** True for a plan whose actions first change what is desired. */
function changesDesired({ undoes, status }: PlanRow): boolean {
  return undoes !== null || status === 'discarded';
}

/** Takes up actions of one user or group. */
async function followResource(
  tx: Db,
  deps: DriftDeps,
  { plan, rows }: { readonly plan: PlanRow; readonly rows: readonly PlanActionRow[] },
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const key = { type: first.resource_type, id: first.resource_id };
  const now = deps.clock.now();
  const released: PlanAction[] = [];
  let current = await lockCurrent(tx, deps, key);
  for (const row of rows) {
    const action = toAction(row);
    const status = current ? await followAction(tx, deps, { plan, action, current }) : 'dropped';
    const isReleased = status === 'released';
    await updatePlanActions(tx, [row.id], isReleased ? { status, released_at: now } : { status });
    if (isReleased) released.push(action);
    if (changesDesired(plan)) current = await lockCurrent(tx, deps, key);
  }
  if (current === undefined || released.length === 0) return;
  await makePending(tx, current.row, { plan, actions: released, now });
  await markRepairing(tx, plan, released);
}

/** Takes up one action. An undo, and what was discarded, is made desired first. */
async function followAction(
  tx: Db,
  deps: DriftDeps,
  { plan, action, current }: { plan: PlanRow; action: PlanAction; current: Current },
): Promise<ActionStatus> {
  if (plan.status === 'discarded') {
    await acceptHeld(tx, deps, { plan, action, current });
    return 'dropped';
  }
  if (isHandOver(action.kind)) {
    return (await handOver(tx, deps, current.row, action)) ? 'done' : 'dropped';
  }
  if ((await findObstacle(tx, deps, action)) !== undefined) return 'dropped';
  const { kind, memberId, desired: value } = action;
  const holds =
    plan.undoes === null
      ? isStillSo(current, action)
      : await desire(tx, deps, current.row, { kind, memberId, value });
  return holds ? 'released' : 'dropped';
}

/** Actions of one user or group that are released now (epoch milliseconds). */
interface Release {
  readonly plan: PlanRow;
  readonly actions: readonly PlanAction[];
  readonly now: number;
}

/** Makes the parts of the actions pending, after a look where the last one is old. */
async function makePending(tx: Db, row: ResourceRow, release: Release): Promise<void> {
  const { actions, now } = release;
  const places = actions.map((action) => ({ ...toPlace(action), memberId: action.memberId }));
  const fields = places.flatMap((place) => (place.kind === 'fields' ? place.fields : []));
  const links = places.flatMap((place) =>
    place.kind === 'link' ? [{ list: place.list, userId: userId(place.memberId) }] : [],
  );
  await changeNamed(tx, row, links, (link) => claimLink(link, row.version));
  await updateRow(tx, row, {
    cells: JSON.stringify(ask(parseCells<string>(row), fields, row.version)),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: toDueClass(row.due_class === 0 || actions.some(({ harm }) => harm !== undefined)),
    ...(isFresh(row, release) ? {} : toStaleColumns(now)),
  });
}

/** Tells whether what is known of a user or group is acted on without a look. */
function isFresh(row: ResourceRow, { plan, actions, now }: Release): boolean {
  const ageMs = now - plan.created_at;
  if (isOfRecovery(plan.source)) {
    // The read showed the account, or that there is none. A store older than the service does not know what it created.
    const isRead = plan.source === 'first-run' && row.type === 'user' && row.must_look === 0;
    return isRead && ageMs < FIRST_RUN_FRESH_MS;
  }
  return ageMs <= FRESH_MS && !actions.some(({ kind }) => kind.endsWith('.create'));
}

async function markRepairing(tx: Db, plan: PlanRow, actions: readonly PlanAction[]): Promise<void> {
  const keys = new Set(actions.map(toChangeKey));
  const drifts = await listActiveDrifts(tx, [
    ...new Set(actions.map(({ resourceId }) => resourceId)),
  ]);
  const repaired = drifts.filter(
    ({ change: kind, member_id: memberId }) =>
      kind !== null && keys.has(toChangeKey({ kind, memberId })),
  );
  await changeDrifts(tx, repaired, { status: 'repairing', plan_id: plan.id });
}
