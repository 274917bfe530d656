import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask } from '../../domain/cell.ts';
import { isHandOver, toChangeKey } from '../../domain/change.ts';
import type { GivenKey } from '../../domain/ids.ts';
import { claimLink } from '../../domain/link.ts';
import {
  type ActionStatus,
  HOLDING_SOURCES,
  isOfRecovery,
  type PlanAction,
  toPlace,
} from '../../domain/plan.ts';
import { enterRules } from '../../rules/follow.ts';
import {
  changeDrifts,
  type DriftRow,
  listActiveDrifts,
  listToReview,
  toRepair,
} from '../../store/drifts.ts';
import { parseCells, toDueClass } from '../../store/engine/columns.ts';
import { changeNamed } from '../../store/links/links.ts';
import {
  countPlanActions,
  discardEmpty,
  listOpenActions,
  lockPlans,
  type PlanActionRow,
  type PlanRow,
  toAction,
} from '../../store/plans.ts';
import { findRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import { tellPlan } from '../add-plan.ts';
import { type Current, findCurrent, isAtWork, listDifferences } from '../differences.ts';
import { findObstacle, findState, isStillSo } from './current.ts';
import { dropRepairs } from './decide.ts';
import { handOver } from './decisions.ts';
import type { DriftDeps } from './deps.ts';
import { acceptHeld, desire } from './desire.ts';
import { endRecovery } from './recovery-plan.ts';

/** Actions of one transaction. */
const PART = 200;
/** Age from which an observation is renewed before it is acted on, in milliseconds. */
const FRESH_MS = 60_000;
/** The same of what was seen for the first run, in which the bridge changed nothing. */
const FIRST_RUN_FRESH_MS = 24 * 60 * 60_000;
/** Largest difference of the clocks of two processes, in milliseconds. */
const CLOCKS_MS = 60_000;
/** Time before the start in which a process that ended may have left writes unreviewed, in milliseconds; sweeps find older ones. */
const REVIEWED_BEFORE_MS = 600_000;

const LOCKED = { lock: true };

/**
 * Takes up every action of the decided plans, or of those alone that hold changes back. An action that no longer holds is
 * dropped. After a crash the next process continues. Returns the plans that are not over yet.
 */
export async function followPlans(deps: DriftDeps, scope: 'all' | 'holding'): Promise<PlanRow[]> {
  const source = scope === 'all' ? undefined : HOLDING_SOURCES;
  const decided = { status: ['approved', 'discarded'], source, ended_at: null } as const;
  const plans = await listWhere(deps.store.read, 'plans', decided, { order: 'seq' });
  for (const plan of plans) {
    // Rules may derive changes of others from what was accepted.
    while (await followPart(deps, plan)) deps.store.bell.ring('due');
    await endRecovery(deps, plan);
  }
  return plans;
}

/** Ends those of these plans of which nothing waits any more. */
export async function endPlans(deps: DriftDeps, plans: readonly PlanRow[]): Promise<void> {
  const { store, clock, events } = deps;
  for (const plan of plans) {
    const isDone = plan.status === 'approved';
    const [ended, actions] = await store.write(async (tx) => {
      await lockPlans(tx);
      const counts = await countPlanActions(tx, plan.id);
      if (counts.has('planned') || counts.has('released')) return [undefined, 0];
      const status = isDone ? 'applied' : plan.status;
      // Another process may have ended it.
      const which = { id: plan.id, ended_at: null };
      const [row] = await updateWhere(tx, 'plans', which, { status, ended_at: clock.now() });
      return [row, counts.values().reduce((sum, count) => sum + count, 0)];
    });
    if (ended && isDone) tellPlan(events, ended, actions);
  }
}

/** Takes up the next actions of a plan. False when none was left. */
async function followPart(deps: DriftDeps, plan: PlanRow): Promise<boolean> {
  return deps.store.write(async (tx) => {
    if (changesDesired(plan)) await enterRules(tx, deps.rules, 'names');
    // Another process may be at it as well.
    await lockPlans(tx);
    const planned = { plan_id: plan.id, status: 'planned' } as const;
    const rows = await listWhere(tx, 'plan_actions', planned, { order: 'id', limit: PART });
    for (const [first, ...others] of Map.groupBy(rows, (row) => row.resource_id).values()) {
      if (first) await followResource(tx, deps, plan, [first, ...others]);
    }
    return rows.length > 0;
  });
}

/** True for a plan whose actions first change what is desired. */
function changesDesired({ undoes, status }: PlanRow): boolean {
  return undoes !== null || status === 'discarded';
}

async function followResource(
  tx: Db,
  deps: DriftDeps,
  plan: PlanRow,
  rows: readonly [PlanActionRow, ...PlanActionRow[]],
): Promise<void> {
  const [{ resource_type: type, resource_id: id }] = rows;
  const now = deps.clock.now();
  const released: PlanAction[] = [];
  let current = await findCurrent(tx, deps, { type, id }, LOCKED);
  for (const row of rows) {
    const action = toAction(row);
    const status = current ? await followAction(tx, deps, { plan, action, current }) : 'dropped';
    const released_at = status === 'released' ? now : null;
    await updateWhere(tx, 'plan_actions', { id: row.id }, { status, released_at });
    if (status === 'released') released.push(action);
    if (changesDesired(plan)) current = await findCurrent(tx, deps, { type, id }, LOCKED);
  }
  if (current === undefined || released.length === 0) return;
  await makePending(tx, current.row, { plan, actions: released, now });
  const keys = new Set(released.map(toChangeKey));
  const repaired = (await listActiveDrifts(tx, [id])).filter(
    ({ change: kind, member_id: memberId }) => kind && keys.has(toChangeKey({ kind, memberId })),
  );
  await changeDrifts(tx, repaired, { status: 'repairing', plan_id: plan.id });
}

/** Takes up one action. An undo, and what was discarded, is made desired first. */
async function followAction(
  tx: Db,
  deps: DriftDeps,
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

/** Actions of one user or group that are released now (epoch milliseconds). */
interface Release {
  readonly plan: PlanRow;
  readonly actions: readonly PlanAction[];
  readonly now: number;
}

/** Makes the parts of the actions pending, after a look where the last one is old. */
async function makePending(tx: Db, row: ResourceRow, release: Release): Promise<void> {
  const { actions, now } = release;
  const places = actions.map(toPlace);
  const fields = places.flatMap((place) => (place.kind === 'fields' ? place.fields : []));
  const links = places.flatMap((place) => (place.kind === 'link' ? place : []));
  await changeNamed(tx, row, links, (link) => claimLink(link, row.version));
  await updateRow(tx, row, {
    cells: JSON.stringify(ask(parseCells<string>(row), fields, row.version)),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: toDueClass(row.due_class === 0 || actions.some(({ harm }) => harm !== undefined)),
    must_look: row.must_look + (isFresh(row, release) ? 0 : 1),
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

/**
 * Creates the review of what is known to differ: each run, of the users and groups that were written since the last one or
 * of which something was released. A released action is done once nothing of it waits. A drift, and a change that a plan
 * holds back, is over where what is known of the service, or what is wanted, shows no such difference any more; what is
 * not known ends none.
 */
export function createReview(deps: DriftDeps): () => Promise<void> {
  const { store, clock } = deps;
  let doneUntil = clock.now() - REVIEWED_BEFORE_MS;
  let waiting: readonly GivenKey[] = [];
  return async () => {
    // A write may be stored later than its time, and by another process.
    const until = clock.now() - CLOCKS_MS;
    const keys = [...waiting, ...(await listToReview(store.read, doneUntil))];
    const left: GivenKey[] = [];
    for (const key of new Map(keys.map((one) => [one.id, one])).values()) {
      if (await review(deps, key)) left.push(key);
      await nextTurn();
    }
    doneUntil = until;
    waiting = left;
  };
}

/** Rows by what becomes of them; undefined: they stay as they are. */
type Judged<Row, End> = ReadonlyMap<End | 'waits' | undefined, readonly Row[]>;

interface Review {
  readonly drifts: Judged<DriftRow, 'gone' | 'repaired' | 'open'>;
  readonly actions: Judged<PlanActionRow, 'done' | 'dropped'>;
}

/** Ends what is over of one user or group. True while something of it waits. */
async function review(deps: DriftDeps, key: GivenKey): Promise<boolean> {
  const { store, clock, events } = deps;
  const seen = await judgeAll(store.read, deps, { key, lock: false });
  const ends = [...seen.drifts.keys(), ...seen.actions.keys()];
  if (ends.some((end) => end !== undefined && end !== 'waits')) {
    const { repaired, emptied } = await store.write(async (tx) => {
      // Before the user or group, as all who make plans do.
      await lockPlans(tx);
      return saveEnds(tx, await judgeAll(tx, deps, { key, lock: true }), clock.now());
    });
    for (const { kind, id, first_seen_at } of repaired) {
      events.driftRepaired({ kind, driftId: id, durationMs: clock.now() - first_seen_at });
    }
    for (const plan of emptied) {
      tellPlan(events, plan, 0);
      await endRecovery(deps, plan);
    }
  }
  return ends.includes('waits');
}

/** Stores what ended. Returns the drifts that were repaired, and the plans of which nothing is left. */
async function saveEnds(tx: Db, { drifts, actions }: Review, now: number) {
  for (const status of ['done', 'dropped'] as const) {
    const ids = (actions.get(status) ?? []).map(({ id }) => id);
    await updateWhere(tx, 'plan_actions', { id: ids }, { status });
  }
  const { gone = [], repaired = [], open = [] } = Object.fromEntries(drifts);
  await changeDrifts(tx, gone, { status: 'gone', ended_at: now });
  await changeDrifts(tx, repaired, { status: 'repaired', ended_at: now });
  // The repair did not hold: the next look decides anew.
  await changeDrifts(tx, open, { status: 'open', plan_id: null });
  const shrunk = new Set((actions.get('dropped') ?? []).map(({ plan_id }) => plan_id));
  const emptied = await discardEmpty(tx, shrunk, now);
  return { repaired, emptied: [...(await dropRepairs(tx, gone, now)), ...emptied] };
}

/** What becomes of a released action, of one that a plan holds back, and of a drift under repair, by the state of the change. */
const RELEASED = { waits: 'waits', done: 'done', differs: 'done', gone: 'dropped' } as const;
const HELD = { waits: 'waits', done: 'dropped', differs: undefined, gone: 'dropped' } as const;
const REPAIRING = { waits: 'waits', done: 'repaired', differs: 'open', gone: 'gone' } as const;

/** Judges all that differs of a user or group. `lock`: it is locked until the transaction ends. */
async function judgeAll(
  db: Db,
  deps: DriftDeps,
  { key, lock }: { readonly key: GivenKey; readonly lock: boolean },
): Promise<Review> {
  const current = await findCurrent(db, deps, key, { lock });
  const actions = await judge(await listOpenActions(db, key.id), async (row) => {
    const isHeld = row.status === 'planned';
    // Nobody has asked for anything else since it was planned.
    if (isHeld && current !== undefined && current.row.modified_at <= row.planned_at) return;
    return (isHeld ? HELD : RELEASED)[await findState(db, current, toAction(row))];
  });
  const found = await listActiveDrifts(db, [key.id]);
  const isCompared = current !== undefined && found.length > 0;
  const all = isCompared ? await listDifferences(db, current.row, deps.policy.deactivation) : [];
  const differing = new Set(all.map(toChangeKey));
  const drifts = await judge(found, async (row) => {
    if (current === undefined) return 'gone';
    const repair = toRepair(row);
    if (repair !== undefined && row.status === 'repairing')
      return REPAIRING[await findState(db, current, repair)];
    const { kind, member_id: memberId } = row;
    const member = await findRow(db, { type: 'user', id: memberId });
    if (isAtWork(current.row) || (member !== undefined && isAtWork(member))) return 'waits';
    const isKnown = current.row.observed !== null;
    return isKnown && !differing.has(toChangeKey({ kind, memberId })) ? 'gone' : undefined;
  });
  return { actions, drifts };
}

async function judge<Row, End>(
  rows: readonly Row[],
  findEnd: (row: Row) => Promise<End>,
): Promise<Map<End, Row[]>> {
  const judged = new Map<End, Row[]>();
  for (const row of rows) {
    const end = await findEnd(row);
    const same = judged.get(end) ?? [];
    same.push(row);
    judged.set(end, same);
  }
  return judged;
}
