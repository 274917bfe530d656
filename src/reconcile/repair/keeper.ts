import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, claim } from '../../domain/cell.ts';
import { isHandOver } from '../../domain/change.ts';
import type { ActionStatus, PlanAction } from '../../domain/plan.ts';
import { toPlace } from '../../domain/plan.ts';
import type { GivenKey, ResourceKey } from '../../domain/values.ts';
import { enterRules } from '../../rules/follow.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { changeDrifts, listActiveDrifts, listToReview, toRepair } from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { changeNamed } from '../../store/links/links.ts';
import type { PlanActionRow, PlanRow } from '../../store/plans.ts';
import { endOver, hasOver, listOpenActions, lockPlans, toAction } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { findRow, updateRow } from '../../store/resources/rows.ts';
import { isLinked } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import { withOptions } from '../../upstream/transport.ts';
import type { Looked } from '../compare/look.ts';
import { lookAt, lookAtNamed } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Current } from '../differences.ts';
import { findCurrent } from '../differences.ts';
import { createJob } from '../job.ts';
import { tellPlan } from '../plans.ts';
import type { DecisionSource } from './decide.ts';
import { decide } from './decide.ts';
import { handOver } from './decisions.ts';
import { acceptHeld, desire, findObstacle, findState, isStillSo } from './desire.ts';
import { findRecovery } from './recovery.ts';

/** Interval of checking repairs while none is under way, in milliseconds. */
const IDLE_MS = 2_000;
/** Rest while some are, as a multiple of the last turn: the larger a plan, the longer the check takes. */
const BUSY_FACTOR = 4;
const BUSY_MIN_MS = 25;

/** Keeper of drifts, at the leader. */
export type DriftKeeper = ReturnType<typeof createDriftKeeper>;

/** Creates the keeper; `isReady`: the first read is finished. */
export function createDriftKeeper(deps: ReconcileDeps, isReady: () => boolean) {
  const { store, clock } = deps;
  let turnAt = clock.now() - REVIEWED_BEFORE_MS;
  let waiting: readonly GivenKey[] = [];
  const stopping = new AbortController();
  const job = { type: 'drift', id: 'keep', restMs: IDLE_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    const beganAt = performance.now();
    const isUnderWay = isReady() && (await keep(signal));
    const busyMs = Math.max(BUSY_FACTOR * (performance.now() - beganAt), BUSY_MIN_MS);
    return isUnderWay ? Math.min(busyMs, IDLE_MS) : IDLE_MS;
  });

  /** Returns true while more is to be done at once. */
  async function keep(signal: AbortSignal): Promise<boolean> {
    // While a restored backup or what was accepted while observing waits, only decisions of operators are followed.
    const recovery = await findRecovery(store.read);
    if (recovery !== undefined && recovery.phase !== 'waiting') return false;
    if (recovery === undefined && (await lookAtNamed(deps, signal))) await decide(deps, 'audit');
    // A write may be stored later than its time, and by another process.
    const since = turnAt - CLOCKS_MS;
    turnAt = clock.now();
    const isUnderWay = await takeUpAll(deps);
    const keys = [...waiting, ...(await listToReview(store.read, since))];
    waiting = await reviewAll(deps, new Map(keys.map((key) => [key.id, key])).values());
    await endPlans(deps);
    return isUnderWay;
  }

  return {
    start: () => loop.start(),
    stop() {
      stopping.abort();
      return loop.stop();
    },
    look: ({ key }: { readonly key: ResourceKey }) =>
      lookNow(deps, key, stopping.signal).finally(loop.tell),
    decide: (source: DecisionSource) => decide(deps, source).finally(loop.tell),
  };
}

/** Result of a look that an operator asked for, with all drifts; `not-linked`: the service is not known to have it. */
export type LookResult = Looked | { readonly kind: 'unknown' | 'not-linked' };

/** No call is repeated. */
async function lookNow(
  deps: ReconcileDeps,
  key: ResourceKey,
  signal: AbortSignal,
): Promise<LookResult> {
  const { store } = deps;
  const row = await findRow(store.read, key);
  if (row === undefined) return { kind: 'unknown' };
  if (!isLinked(row)) return { kind: 'not-linked' };
  const upstream = withOptions(deps.upstream, (options) => ({ ...options, attemptsMax: 1 }));
  const looked = await lookAt({ deps: { ...deps, upstream }, signal }, row, 'operator');
  if (looked.kind !== 'looked') return looked;
  return { ...looked, drifts: await listActiveDrifts(store.read, [row.id]) };
}

/** Actions that one transaction takes up. */
const PART = 200;
/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;
/** The same of what was seen for the first run, in which the bridge changed nothing. */
const FIRST_RUN_FRESH_MS = 24 * 60 * 60_000;
/** Largest difference of the clocks of two processes, in milliseconds. */
const CLOCKS_MS = 60_000;
/** Time before the start in which a process that ended may have left writes unreviewed, in milliseconds; sweeps find older ones. */
const REVIEWED_BEFORE_MS = 600_000;

/** Takes up decided plans. Returns true while one is not over. */
async function takeUpAll(deps: ReconcileDeps): Promise<boolean> {
  const { read, bell } = deps.store;
  const decided = { status: ['approved', 'discarded'], ended_at: null } as const;
  const plans = await listWhere(read, 'plans', decided, { order: 'seq' });
  // Rules may derive changes of others from what was accepted.
  for (const plan of plans) while (await takeUpPart(deps, plan)) bell.ring('due');
  return plans.length > 0;
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
const RELEASED = { waits: 'waits', differs: 'done', over: 'done', gone: 'dropped' } as const;
const HELD = { waits: 'waits', differs: undefined, over: 'dropped', gone: 'dropped' } as const;
const REPAIRING = { waits: 'waits', differs: 'open', over: 'repaired', gone: 'gone' } as const;
const FOUND = { waits: 'waits', differs: undefined, over: 'gone', gone: 'gone' } as const;

type End =
  | { readonly action: PlanActionRow; readonly end: 'waits' | 'done' | 'dropped' }
  | { readonly drift: DriftRow; readonly end: 'waits' | 'open' | 'repaired' | 'gone' };

/** Ends what is over of users and groups that were written or released, and returns those of which something waits. */
async function reviewAll(deps: ReconcileDeps, keys: Iterable<GivenKey>): Promise<GivenKey[]> {
  const waiting: GivenKey[] = [];
  for (const key of keys) {
    const seen = await judge(deps.store.read, deps, { key, lock: false });
    if (seen.some(({ end }) => end === 'waits')) waiting.push(key);
    if (seen.some(({ end }) => end !== 'waits')) await saveEnds(deps, key);
    await nextTurn();
  }
  return waiting;
}

async function saveEnds(deps: ReconcileDeps, key: GivenKey): Promise<void> {
  const { store, clock, events } = deps;
  const now = clock.now();
  const ends = await store.write(async (tx) => {
    // Before the user or group, as all who make plans do.
    await lockPlans(tx);
    const judged = await judge(tx, deps, { key, lock: true });
    for (const one of judged) await saveEnd(tx, one, now);
    return judged;
  });
  for (const one of ends) {
    if (!('drift' in one) || one.end !== 'repaired') continue;
    const { kind, id: driftId, first_seen_at } = one.drift;
    events.driftRepaired({ kind, driftId, durationMs: now - first_seen_at });
  }
}

async function saveEnd(tx: Db, one: End, now: number): Promise<unknown> {
  if (one.end === 'waits') return undefined;
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
  // What was approved is taken up first.
  const next = actions.find((one) => one.status === 'planned' && one.plan_status === 'approved');
  if (next) return [{ action: next, end: 'waits' }];
  const ends: End[] = [];
  for (const action of actions) {
    const isHeld = action.status === 'planned';
    // Nobody has asked for anything else since it was planned.
    if (isHeld && current && current.row.modified_at <= action.planned_at) continue;
    const end = (isHeld ? HELD : RELEASED)[await findState(db, current, toAction(action))];
    if (end) ends.push({ action, end });
  }
  for (const drift of await listActiveDrifts(db, [key.id])) {
    const table = drift.status === 'repairing' ? REPAIRING : FOUND;
    const end = table[await findState(db, current, toRepair(drift))];
    if (end) ends.push({ drift, end });
  }
  return ends;
}
