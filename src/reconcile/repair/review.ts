import { setImmediate as nextTurn } from 'node:timers/promises';
import { toChangeKey } from '../../domain/change.ts';
import { type DriftStatus, isUnmanagedKind } from '../../domain/drift.ts';
import type { GivenKey } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type ActionStatus, type PlanAction, toPlace } from '../../domain/plan.ts';
import {
  changeDrifts,
  type DriftRow,
  endDrifts,
  listActiveDrifts,
  listToReview,
  toRepair,
} from '../../store/drifts.ts';
import { hasWaiting, parseStored } from '../../store/engine/columns.ts';
import {
  listOpenActions,
  type PlanActionRow,
  toAction,
  updatePlanActions,
} from '../../store/plans/actions.ts';
import { discardEmpty, lockPlan, type PlanRow } from '../../store/plans/plans.ts';
import { findRow, type ResourceRow } from '../../store/resources/rows.ts';
import { toSeenEntities } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { tellPlan } from '../add-plan.ts';
import { CLOCKS_MS } from '../audit/events.ts';
import { isBusy } from '../compare/compare.ts';
import {
  type Current,
  findCurrent,
  findLink,
  findState,
  isStillSo,
  lockCurrent,
} from './current.ts';
import { dropRepairs } from './decide.ts';
import type { DriftDeps } from './deps.ts';
import { endRecovery } from './recovery-state.ts';

/** Time before the start in which a process that ended may have left writes unreviewed, in milliseconds; sweeps find older ones. */
const BEFORE_MS = 600_000;

/**
 * Creates the review of what is known to differ: each run, of the users and groups that were written since the last one or
 * of which something was released. A released action is done once nothing of it waits. A drift, and a change that a plan
 * holds back, is over where what is known of the service, or what is wanted, shows no such difference any more; what is
 * not known ends none.
 */
export function createReview(deps: DriftDeps): () => Promise<void> {
  const { store, clock } = deps;
  let doneUntil = clock.now() - BEFORE_MS;
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

/** A drift or an action, with its new status unless it stays as it is. */
interface Judged<Row, Status> {
  readonly row: Row;
  readonly status: Status | 'waits' | 'stays';
}

type DriftEnd = Extract<DriftStatus, 'gone' | 'repaired' | 'open'>;
type ActionEnd = Extract<ActionStatus, 'done' | 'dropped'>;

/** What is known to differ of a user or group. */
interface Review {
  readonly drifts: readonly Judged<DriftRow, DriftEnd>[];
  readonly actions: readonly Judged<PlanActionRow, ActionEnd>[];
}

/** Ends what is over of one user or group. True while something of it waits. */
async function review(deps: DriftDeps, key: GivenKey): Promise<boolean> {
  const { store, clock, events, driftEvents } = deps;
  const seen = await judgeAll(store.read, key, await findCurrent(store.read, deps, key));
  const all = [...seen.drifts, ...seen.actions];
  const waits = all.some(({ status }) => status === 'waits');
  if (all.every(({ status }) => status === 'waits' || status === 'stays')) return waits;
  const planIds = new Set(all.flatMap(({ row }) => row.plan_id ?? []));
  const { repaired, emptied } = await store.write(async (tx) => {
    // Before the user or group, as all who make plans do.
    for (const id of [...planIds].toSorted()) await lockPlan(tx, id);
    const judged = await judgeAll(tx, key, await lockCurrent(tx, deps, key));
    return saveEnds(tx, judged, clock.now());
  });
  for (const { kind, id, first_seen_at } of repaired) {
    driftEvents.repaired({ kind, id, tookMs: clock.now() - first_seen_at });
  }
  for (const plan of emptied) {
    tellPlan(events, plan, 0);
    await endRecovery(deps, plan);
  }
  return waits;
}

/** Stores what ended. Returns the drifts that were repaired, and the plans of which nothing is left. */
async function saveEnds(
  tx: Db,
  { drifts, actions }: Review,
  now: number,
): Promise<{ repaired: readonly DriftRow[]; emptied: readonly PlanRow[] }> {
  const actionsOf = (end: ActionEnd) =>
    actions.flatMap(({ row, status }) => (status === end ? row : []));
  const driftsOf = (end: DriftEnd) =>
    drifts.flatMap(({ row, status }) => (status === end ? row : []));
  for (const status of ['done', 'dropped'] as const) {
    const ids = actionsOf(status).map(({ id }) => id);
    await updatePlanActions(tx, ids, { status });
  }
  const [gone, repaired] = [driftsOf('gone'), driftsOf('repaired')];
  await endDrifts(tx, gone, { status: 'gone', now });
  await endDrifts(tx, repaired, { status: 'repaired', now });
  // The repair did not hold: the next look decides anew.
  await changeDrifts(tx, driftsOf('open'), { status: 'open', plan_id: null });
  const dropped = new Set(actionsOf('dropped').map(({ plan_id }) => plan_id));
  const emptied = await discardEmpty(tx, dropped, now);
  return { repaired, emptied: [...(await dropRepairs(tx, gone, now)), ...emptied] };
}

/** Judges all that differs of a user or group; `current` undefined: the store has it no more. */
async function judgeAll(db: Db, { id }: GivenKey, current: Current | undefined): Promise<Review> {
  const actions: Review['actions'][number][] = [];
  for (const row of await listOpenActions(db, id)) {
    const isHeld = row.status === 'planned';
    // Nobody has asked for anything else since it was planned.
    if (isHeld && current !== undefined && current.row.modified_at <= row.planned_at) continue;
    const ends = isHeld ? HELD : RELEASED;
    actions.push({ row, status: ends[await findState(db, current, toAction(row))] });
  }
  const drifts: Review['drifts'][number][] = [];
  for (const row of await listActiveDrifts(db, [id])) {
    drifts.push({ row, status: await judgeDrift(db, current, row) });
  }
  return { actions, drifts };
}

/** What becomes of a released action, of one that a plan holds back, and of a drift under repair, by the state of the change. */
const RELEASED = { waits: 'waits', done: 'done', differs: 'done', gone: 'dropped' } as const;
const HELD = { waits: 'waits', done: 'dropped', differs: 'stays', gone: 'dropped' } as const;
const REPAIRING = { waits: 'waits', done: 'repaired', differs: 'open', gone: 'gone' } as const;

async function judgeDrift(
  db: Db,
  current: Current | undefined,
  drift: DriftRow,
): Promise<DriftEnd | 'waits' | 'stays'> {
  const repair = toRepair(drift);
  if (current === undefined) return 'gone';
  if (repair !== undefined && drift.status === 'repairing') {
    return REPAIRING[await findState(db, current, repair)];
  }
  const member = await findRow(db, { type: 'user', id: drift.member_id });
  if (isAtWork(current.row) || (member !== undefined && isAtWork(member))) return 'waits';
  return (await isOver(db, current, { drift, repair })) ? 'gone' : 'stays';
}

/** True while something of a user or group waits, or it is not known what the service holds. */
function isAtWork(row: ResourceRow): boolean {
  return isBusy(row) || row.due_at !== null || row.unsure_since !== null || hasWaiting(row);
}

async function isOver(
  db: Db,
  current: Current,
  { drift, repair }: { readonly drift: DriftRow; readonly repair: PlanAction | undefined },
): Promise<boolean> {
  const { row, changes } = current;
  const { kind } = drift;
  if (repair === undefined || isUnmanagedKind(kind)) return row.origin !== null;
  // Of what is not managed nothing is wanted, and of whom a provider deleted only that they do not work.
  if (row.origin === null || (row.deleted_at !== null && kind !== 'user.activated')) return true;
  if (kind === `${drift.resource_type}.missing`) return !isStillSo(current, repair);
  return !changes.has(toChangeKey(repair)) && isKnown(db, row, repair);
}

/** True when it is known what the service holds now in the place of a change. */
async function isKnown(db: Db, row: ResourceRow, change: PlanAction): Promise<boolean> {
  if (row.observed === null) return false;
  const place = toPlace({ ...change, desired: change.observed });
  if (place.kind === 'link') {
    const link = await findLink(db, row, { list: place.list, memberId: change.memberId });
    return link === undefined || (link.pending === null && link.observed !== null);
  }
  if (change.memberId !== '') return row.type === 'group' && toSeenEntities(row) !== undefined;
  const observed = parseStored<JsonObject>(row.observed);
  const fields = isJsonObject(change.observed) ? Object.keys(change.observed) : [];
  return fields.every((field) => Object.hasOwn(observed, field === 'name' ? 'fullName' : field));
}
