import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, claim } from '../../domain/cell.ts';
import { isHandOver } from '../../domain/change.ts';
import { isLinked } from '../../domain/kinds.ts';
import type { ActionStatus } from '../../domain/plan.ts';
import { toPlace } from '../../domain/plan.ts';
import type { GivenKey, ResourceKey } from '../../domain/values.ts';
import { enterRules } from '../../rules/follow.ts';
import { listActiveDrifts, listToSettle } from '../../store/drifts.ts';
import { changeNamed } from '../../store/links/links.ts';
import type { OpenAction } from '../../store/plans.ts';
import { endOver, hasOver, listOpenActions, lockPlans } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { findRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { updateWhere } from '../../store/tables.ts';
import { withOptions } from '../../upstream/transport.ts';
import type { Looked } from '../compare/look.ts';
import { lookAt, lookAtNamed, recordDifferences } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { ChangeState, Current } from '../differences.ts';
import { findState, isStillSo, lockCurrent } from '../differences.ts';
import { createJob } from '../job.ts';
import { tellPlan } from '../plans.ts';
import { decide } from './decide.ts';
import { handOver } from './decisions.ts';
import { acceptHeld, desire, findObstacle } from './desire.ts';
import { findRecovery } from './recovery.ts';

/** Rest between two turns, in milliseconds. */
const REST_MS = 1_000;
/** Time by which a write may be stored late, by another process with another clock, in milliseconds. */
const LATE_MS = 60_000;

/** Creates the keeper; `isReady`: the first read is finished. */
export function createDriftKeeper(deps: ReconcileDeps, isReady: () => boolean) {
  const { store, clock } = deps;
  let settledAt = clock.now();
  const job = { type: 'drift', id: 'keep', restMs: REST_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    // While a restored backup or what was accepted while observing waits, only decisions of operators are followed.
    const recovery = await findRecovery(store.read);
    if (!isReady() || (recovery !== undefined && recovery.phase !== 'waiting')) return undefined;
    if (recovery === undefined && (await lookAtNamed(deps, signal))) await decide(deps, 'audit');
    const now = clock.now();
    const keys = await listToSettle(store.read, settledAt - LATE_MS);
    for (const [index, key] of keys.entries()) {
      await settle(deps, key);
      // Of many at once: groups wait for the accounts of their users that are due.
      if ((index + 1) % PART === 0 || index + 1 === keys.length) store.bell.ring('due');
      await nextTurn();
    }
    settledAt = now;
    await endPlans(deps);
    return undefined;
  });
  return {
    ...loop,
    look: ({ key }: { readonly key: ResourceKey }) =>
      lookNow(deps, key, loop.signal).finally(loop.tell),
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

/** Takes up what was decided about a user or group. Where nothing was, ends what is over of its actions and drifts. */
async function settle(deps: ReconcileDeps, key: GivenKey): Promise<void> {
  const { store, clock, events } = deps;
  const now = clock.now();
  const repaired = await store.write(async (tx) => {
    // In this order, and before the user or group, as all who make plans do.
    await enterRules(tx, deps.rules, 'names');
    await lockPlans(tx);
    const actions = await listOpenActions(tx, key.id);
    const decided = actions.filter((one) => one.status === 'planned' && one.plan_status !== 'held');
    if (decided.length === 0) return endWhatIsOver(tx, deps, { key, actions, now });
    await takeUp(tx, deps, { key, actions: decided.slice(0, PART), now });
    return [];
  });
  for (const { kind, id: driftId, first_seen_at } of repaired)
    events.driftRepaired({ kind, driftId, durationMs: now - first_seen_at });
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

/** Some actions of a user or group. */
interface Settling {
  readonly key: GivenKey;
  readonly actions: readonly OpenAction[];
  readonly now: number;
}

async function takeUp(tx: Db, deps: ReconcileDeps, { key, actions, now }: Settling) {
  const released: OpenAction[] = [];
  let current: Current | undefined;
  let isStale = true;
  for (const action of actions) {
    if (isStale) current = await lockCurrent(tx, deps, key);
    const status = current ? await takeUpOne(tx, deps, { action, current }) : 'dropped';
    isStale = changesDesire(action) || action.plan_status === 'discarded';
    const released_at = status === 'released' ? now : null;
    await updateWhere(tx, 'plan_actions', { id: action.id }, { status, released_at });
    if (status === 'released') released.push(action);
  }
  const row = released.length > 0 ? await findRow(tx, key) : undefined;
  if (row) await makePending(tx, row, released, now);
}

/** True for an action that changes what is desired before it is made. */
const changesDesire = ({ plan_source: source }: OpenAction) =>
  source === 'undo' || source === 'handover';

/** Discarding what was held changes what is desired as well. */
async function takeUpOne(
  tx: Db,
  deps: ReconcileDeps,
  { action, current }: { readonly action: OpenAction; readonly current: Current },
): Promise<ActionStatus> {
  if (action.plan_status === 'discarded') {
    await acceptHeld(tx, deps, current, action);
    return 'dropped';
  }
  if (isHandOver(action.kind))
    return (await handOver(tx, deps, current.row, action)) ? 'done' : 'dropped';
  if ((await findObstacle(tx, deps, action)) !== undefined) return 'dropped';
  const holds = changesDesire(action)
    ? await desire(tx, deps, current.row, action)
    : isStillSo(current, action);
  return holds ? 'released' : 'dropped';
}

async function makePending(tx: Db, row: ResourceRow, released: readonly OpenAction[], now: number) {
  const places = released.map(toPlace);
  const fields = places.flatMap((place) => (place.kind === 'fields' ? place.fields : []));
  const links = places.flatMap((place) => (place.kind === 'link' ? place : []));
  await changeNamed(tx, row, links, (link) => claim(link, row.version));
  const isFresh = released.every((action) => isKnown(action, now));
  await updateRow(tx, row, {
    cells: ask(row.cells, fields, row.version),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: row.due_class === 0 || released.some(({ harm }) => harm !== null) ? 0 : 1,
    must_look: row.must_look + (isFresh ? 0 : 1),
  });
}

/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;
/** The same of what was seen for the first run, in which the bridge changed nothing. */
const FIRST_RUN_FRESH_MS = 24 * 60 * 60_000;

/** True when it is acted on without a look. A store older than the service does not know what it created. */
function isKnown(action: OpenAction, now: number): boolean {
  const { kind, plan_source: source, planned_at } = action;
  if (source === 'first-run') return now - planned_at < FIRST_RUN_FRESH_MS;
  return source !== 'restore' && !kind.endsWith('.create') && now - planned_at <= FRESH_MS;
}

/** What becomes of an action that is under way, and of one that is held, by the state of its change; absent: it stays as it is. */
const ENDS: Partial<Record<ActionStatus, Partial<Record<ChangeState, ActionStatus>>>> = {
  released: { differs: 'done', over: 'done', gone: 'dropped' },
  planned: { over: 'dropped', gone: 'dropped' },
};

/** Returns the drifts that are repaired now. */
async function endWhatIsOver(tx: Db, deps: ReconcileDeps, { key, actions, now }: Settling) {
  const current = await lockCurrent(tx, deps, key);
  for (const action of actions) {
    const isUnchanged = current && current.row.modified_at <= action.planned_at;
    // Nobody has asked for anything else since it was planned.
    if (action.status === 'planned' && isUnchanged) continue;
    const status = ENDS[action.status]?.[findState(current, action)];
    if (status) await updateWhere(tx, 'plan_actions', { id: action.id }, { status });
  }
  if (current === undefined) return [];
  const known = { kind: 'known', detector: undefined, isSure: () => true, now } as const;
  const { changed } = await recordDifferences(tx, current, known);
  return changed.filter(({ status }) => status === 'repaired');
}
