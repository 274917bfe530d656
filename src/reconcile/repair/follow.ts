import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, claim } from '../../domain/cell.ts';
import { isHandOver } from '../../domain/change.ts';
import { type ActionStatus, type PlanAction, toPlace } from '../../domain/plan.ts';
import type { GivenKey } from '../../domain/values.ts';
import { enterRules } from '../../rules/follow.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { changeDrifts, listActiveDrifts, listToReview, toRepair } from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { changeNamed } from '../../store/links/links.ts';
import type { PlanActionRow, PlanRow } from '../../store/plans.ts';
import { endOver, hasOver, listOpenActions, lockPlans, toAction } from '../../store/plans.ts';
import { findRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type Current, findCurrent } from '../differences.ts';
import { tellPlan } from '../plans.ts';
import { handOver } from './decisions.ts';
import { acceptHeld, desire, findObstacle, findState, isStillSo } from './desire.ts';

/** Actions that one transaction takes up. */
const PART = 200;
/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;
/** The same of what was seen for the first run, in which the bridge changed nothing. */
const FIRST_RUN_FRESH_MS = 24 * 60 * 60_000;
/** Time in which a write ends differences, and drops actions out of plans that wait, in milliseconds; sweeps find older ones. */
const REVIEWED_MS = 2 * 60_000;

/** Creates what takes up decided plans, and ends what is over of users and groups that were written or released. */
export function createFollower(deps: ReconcileDeps) {
  const { store, clock } = deps;
  let turnAt = clock.now();

  /** Returns true while a plan is not over. */
  return async (): Promise<boolean> => {
    const since = turnAt - REVIEWED_MS;
    turnAt = clock.now();
    const decided = { status: ['approved', 'discarded'], ended_at: null } as const;
    const plans = await listWhere(store.read, 'plans', decided, { order: 'seq' });
    // Rules may derive changes of others from what was accepted.
    for (const plan of plans) while (await takeUpPart(deps, plan)) store.bell.ring('due');
    for (const key of await listToReview(store.read, since)) {
      await review(deps, key);
      await nextTurn();
    }
    await endPlans(deps);
    return plans.length > 0;
  };
}

async function endPlans({ store, clock, events }: ReconcileDeps): Promise<void> {
  if (!(await hasOver(store.read))) return;
  const ended = await store.write(async (tx) => {
    await lockPlans(tx);
    return endOver(tx, clock.now());
  });
  // A discard was told when an operator decided.
  for (const plan of ended) {
    if (plan.status === 'applied' || plan.decided_by === null) tellPlan(events, plan);
  }
}

async function takeUpPart(deps: ReconcileDeps, plan: PlanRow): Promise<boolean> {
  return deps.store.write(async (tx) => {
    if (changesDesired(plan)) await enterRules(tx, deps.rules, 'names');
    // Another process may be at it as well.
    await lockPlans(tx);
    const planned = { plan_id: plan.id, status: 'planned' } as const;
    const rows = await listWhere(tx, 'plan_actions', planned, { order: 'id', limit: PART });
    for (const same of Map.groupBy(rows, (row) => row.resource_id).values()) {
      await takeUp(tx, deps, plan, same);
    }
    return rows.length > 0;
  });
}

/** Undoing, and discarding what was held, first changes what is desired. */
function changesDesired({ undoes, status }: PlanRow): boolean {
  return undoes !== null || status === 'discarded';
}

async function takeUp(tx: Db, deps: ReconcileDeps, plan: PlanRow, rows: readonly PlanActionRow[]) {
  const now = deps.clock.now();
  const released: PlanAction[] = [];
  let current: Current | undefined;
  for (const row of rows) {
    const action = toAction(row);
    const { type, resourceId: id } = action;
    if (current === undefined || changesDesired(plan))
      current = await findCurrent(tx, deps, { type, id }, { lock: true });
    const status = current ? await takeUpOne(tx, deps, { plan, action, current }) : 'dropped';
    const released_at = status === 'released' ? now : null;
    await updateWhere(tx, 'plan_actions', { id: row.id }, { status, released_at });
    if (status === 'released') released.push(action);
  }
  if (current === undefined || released.length === 0) return;
  // As the last action left it.
  const row = changesDesired(plan) ? await findRow(tx, current.row) : current.row;
  if (row) await makePending(tx, row, { plan, actions: released, now });
}

async function takeUpOne(
  tx: Db,
  deps: ReconcileDeps,
  { plan, action, current }: { plan: PlanRow; action: PlanAction; current: Current },
): Promise<ActionStatus> {
  if (plan.status === 'discarded') {
    await acceptHeld(tx, deps, current, { action, plannedAt: plan.created_at });
    return 'dropped';
  }
  if (isHandOver(action.kind)) {
    return (await handOver(tx, deps, current.row, action)) ? 'done' : 'dropped';
  }
  if ((await findObstacle(tx, deps, action)) !== undefined) return 'dropped';
  const holds =
    plan.undoes === null
      ? isStillSo(current, action)
      : await desire(tx, deps, current.row, { ...action, value: action.desired });
  return holds ? 'released' : 'dropped';
}

interface Release {
  readonly plan: PlanRow;
  readonly actions: readonly PlanAction[];
  readonly now: number;
}

async function makePending(tx: Db, row: ResourceRow, release: Release): Promise<void> {
  const { actions, now } = release;
  const places = actions.map(toPlace);
  const fields = places.flatMap((place) => (place.kind === 'fields' ? place.fields : []));
  const links = places.flatMap((place) => (place.kind === 'link' ? place : []));
  await changeNamed(tx, row, links, (link) => claim(link, row.version));
  await updateRow(tx, row, {
    cells: JSON.stringify(ask(parseCells<string>(row), fields, row.version)),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: row.due_class === 0 || actions.some(({ harm }) => harm !== undefined) ? 0 : 1,
    must_look: row.must_look + (isFresh(row, release) ? 0 : 1),
  });
}

/** True when what is known of it is acted on without a look. A store older than the service does not know what it created. */
function isFresh(row: ResourceRow, { plan, actions, now }: Release): boolean {
  const ageMs = now - plan.created_at;
  if (plan.source === 'first-run' && row.type === 'user') return ageMs < FIRST_RUN_FRESH_MS;
  const isKnown =
    plan.source !== 'restore' && !actions.some(({ kind }) => kind.endsWith('.create'));
  return isKnown && ageMs <= FRESH_MS;
}

/** What becomes of an action that is under way or held, and of a drift, by the state of its change; absent: it stays as it is. */
const RELEASED = { waits: undefined, differs: 'done', over: 'done', gone: 'dropped' } as const;
const HELD = { waits: undefined, differs: undefined, over: 'dropped', gone: 'dropped' } as const;
const REPAIRING = { waits: undefined, differs: 'open', over: 'repaired', gone: 'gone' } as const;
const FOUND = { waits: undefined, differs: undefined, over: 'gone', gone: 'gone' } as const;

type End =
  | { readonly action: PlanActionRow; readonly end: 'done' | 'dropped' }
  | { readonly drift: DriftRow; readonly end: 'open' | 'repaired' | 'gone' };

/** What is not known ends nothing. */
async function review(deps: ReconcileDeps, key: GivenKey): Promise<void> {
  const { store, clock, events } = deps;
  if ((await judge(store.read, deps, { key, lock: false })).length === 0) return;
  const now = clock.now();
  const ends = await store.write(async (tx) => {
    // Before the user or group, as all who make plans do.
    await lockPlans(tx);
    const judged = await judge(tx, deps, { key, lock: true });
    for (const one of judged) await saveEnd(tx, one, now);
    return judged;
  });
  for (const one of ends) {
    if (one.end !== 'repaired') continue;
    const { kind, id: driftId, first_seen_at } = one.drift;
    events.driftRepaired({ kind, driftId, durationMs: now - first_seen_at });
  }
}

async function saveEnd(tx: Db, one: End, now: number): Promise<unknown> {
  if ('action' in one) {
    return updateWhere(tx, 'plan_actions', { id: one.action.id }, { status: one.end });
  }
  // A repair that did not hold: the next look decides anew.
  const change = one.end === 'open' ? { plan_id: null } : { ended_at: now };
  return changeDrifts(tx, [one.drift], { ...change, status: one.end });
}

async function judge(
  db: Db,
  deps: ReconcileDeps,
  { key, lock }: { readonly key: GivenKey; readonly lock: boolean },
): Promise<End[]> {
  const current = await findCurrent(db, deps, key, { lock });
  const actions = await listOpenActions(db, key.id);
  const ends: End[] = [];
  // What was approved is taken up first.
  const isNext = actions.some((one) => one.status === 'planned' && one.plan_status === 'approved');
  if (isNext) return ends;
  for (const action of actions) {
    const isHeld = action.status === 'planned';
    // Nobody has asked for anything else since it was planned.
    if (isHeld && current && current.row.modified_at <= action.planned_at) continue;
    const state = await findState(db, current, toAction(action));
    const end = (isHeld ? HELD : RELEASED)[state];
    if (end) ends.push({ action, end });
  }
  for (const drift of await listActiveDrifts(db, [key.id])) {
    const state = await findState(db, current, toRepair(drift));
    const end = (drift.status === 'repairing' ? REPAIRING : FOUND)[state];
    if (end) ends.push({ drift, end });
  }
  return ends;
}
