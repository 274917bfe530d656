import { isUnmanagedKind } from '../../domain/drift.ts';
import { groupId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  type DriftRow,
  endDrifts,
  hasActiveDrifts,
  listActiveDrifts,
  listActiveDriftsIn,
} from '../../store/drifts.ts';
import { hasWaiting, parseStored } from '../../store/engine/columns.ts';
import { toSeenEntities } from '../../store/groups/groups.ts';
import { listLinks } from '../../store/links/links.ts';
import { lockHeldRepairs } from '../../store/plans/plans.ts';
import { listWritten, type WrittenPlace } from '../../store/resources/progress.ts';
import { isUserRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow } from '../../store/users/users.ts';
import { CLOCKS_MS } from '../audit/window.ts';
import { isBusy } from '../compare/comparison.ts';
import type { ProcessDeps } from '../deps.ts';
import { type Current, findCurrent, isStillSo, lockCurrent, toKey, toPlace } from './current.ts';
import { isUndecided } from './decisions.ts';
import { dropRepairs, tellDiscarded } from './drop-repairs.ts';

/** Users and groups of one part. */
const PART = 200;
/** Time before the start in which a process that ended may have left writes unfollowed, in milliseconds; sweeps find older ones. */
const BEFORE_MS = 600_000;

interface WriteDeps extends Pick<ProcessDeps, 'store' | 'clock' | 'policy'> {
  readonly events: Pick<ProcessDeps['events'], 'plan'>;
}

/**
 * Creates what ends drifts that writes of providers and operators have made up for: each run, the undecided ones of what
 * was written since, once nothing of it waits. A drift is over where what is known of the service, or what is wanted, shows
 * no such difference any more; what is not known ends none. The repair that a waiting plan has of it drops out.
 */
export function createWriteFollower(deps: WriteDeps): { run(): Promise<void> } {
  const { store, clock } = deps;
  let doneUntil = clock.now() - BEFORE_MS;
  let atWork: ReadonlySet<string> = new Set();
  return {
    async run() {
      // A write may be stored later than its time, and by another process.
      const until = clock.now() - CLOCKS_MS;
      const left = new Set<string>();
      // After a sweep everybody may be written, and mostly there is no drift that a write could have ended.
      if (await hasActiveDrifts(store.read)) {
        await endMetOf(deps, [...atWork], left);
        await endMetSince(deps, doneUntil, left);
      }
      doneUntil = until;
      atWork = left;
    },
  };
}

/** Ends the drifts that are over of everybody who was written since (epoch milliseconds). */
async function endMetSince(deps: WriteDeps, since: number, left: Set<string>): Promise<void> {
  for (const type of ['user', 'group'] as const) {
    for (let after: WrittenPlace | undefined = { at: since, seq: 0 }; after; ) {
      const written = await listWritten(deps.store.read, type, { after, limit: PART });
      const ids = written.map(({ id }) => id);
      await endMetOf(deps, ids, left);
      after = written.length < PART ? undefined : written.at(-1);
    }
  }
}

/** Ends the drifts of these users and groups, and of these users in groups, that are over; `left` takes those of which something waits. */
async function endMetOf(deps: WriteDeps, ids: readonly string[], left: Set<string>): Promise<void> {
  if (ids.length === 0) return;
  const { read } = deps.store;
  const own = await listActiveDrifts(read, ids);
  const places = await listPlacesAtRest(read, ids, left);
  const all = new Map([...own, ...places].map((drift) => [drift.id, drift]));
  const drifts = [...all.values()].filter(isUndecided);
  // One user or group a transaction: two that wait for each other's rows would hold both up.
  for (const [id, some] of Map.groupBy(drifts, ({ resource_id }) => resource_id)) {
    const { isAtWork, met } = await findMet(read, some, (drift) => findCurrent(read, deps, drift));
    if (isAtWork) left.add(id);
    if (met.length > 0) await endMet(deps, id, met);
  }
}

/** Lists drifts about the places of these users in groups; `left` takes the users of whom something waits, without theirs. */
async function listPlacesAtRest(
  db: Db,
  userIds: readonly string[],
  left: Set<string>,
): Promise<DriftRow[]> {
  const places: DriftRow[] = [];
  const found = await listActiveDriftsIn(db, userIds);
  for (const [id, some] of Map.groupBy(found, ({ member_id }) => member_id)) {
    const row = await findUserRow(db, id);
    if (row !== undefined && isWaitedFor(row)) left.add(id);
    else places.push(...some);
  }
  return places;
}

/** Ends drifts of one user or group in one transaction, after another look at what is stored. */
async function endMet(
  deps: WriteDeps,
  resourceId: string,
  drifts: readonly DriftRow[],
): Promise<void> {
  const { store, clock, events } = deps;
  const over = await store.write(async (tx) => {
    const isPlanned = drifts.some(({ plan_id }) => plan_id !== null);
    // Before the users and groups, as all who make plans do.
    const held = isPlanned ? await lockHeldRepairs(tx) : undefined;
    const ids = new Set(drifts.map(({ id }) => id));
    const active = await listActiveDrifts(tx, [resourceId]);
    const left = active.filter((drift) => ids.has(drift.id) && isUndecided(drift));
    const { met } = await findMet(tx, left, (drift) => lockCurrent(tx, deps, drift));
    const now = clock.now();
    await endDrifts(tx, met, { status: 'gone', now });
    const planned = met.filter(({ plan_id }) => plan_id === held?.id);
    return held === undefined ? [] : dropRepairs(tx, planned, now);
  });
  tellDiscarded(events, over);
}

/** Finds those of the drifts of one user or group that are over; none while something of it waits. It is read once. */
async function findMet(
  db: Db,
  drifts: readonly DriftRow[],
  find: (drift: DriftRow) => Promise<Current | undefined>,
): Promise<{ isAtWork: boolean; met: readonly DriftRow[] }> {
  const [first] = drifts;
  const current = first && (await find(first));
  if (current === undefined) return { isAtWork: false, met: [] };
  if (isWaitedFor(current.row)) return { isAtWork: true, met: [] };
  const met: DriftRow[] = [];
  for (const drift of drifts) if (await isMet(db, current, drift)) met.push(drift);
  return { isAtWork: false, met };
}

function isWaitedFor(row: ResourceRow): boolean {
  return isBusy(row) || row.due_at !== null || row.unsure_since !== null || hasWaiting(row);
}

async function isMet(db: Db, current: Current, drift: DriftRow): Promise<boolean> {
  const { row, differences } = current;
  const { kind, change } = drift;
  if (change === null || isUnmanagedKind(kind)) return row.origin !== null;
  // Of what is not managed nothing is wanted, and of whom a provider deleted only that they do not work.
  if (row.origin === null || (row.deleted_at !== null && kind !== 'user.activated')) return true;
  const action = { ...drift, kind: change };
  if (kind === `${drift.resource_type}.missing`) return !isStillSo(current, action);
  return !differences.has(toKey(action)) && isTold(db, row, drift);
}

/** True when it is known what the service holds now in the place of a drift. */
async function isTold(
  db: Db,
  row: ResourceRow,
  { change, member_id: memberId, observed: text }: DriftRow,
): Promise<boolean> {
  if (change === null || row.observed === null) return false;
  const differing = parseStored<JsonObject>(text);
  const place = toPlace({ kind: change, memberId, desired: differing });
  if (place.kind === 'fields') {
    if (memberId !== '') return !isUserRow(row) && toSeenEntities(row) !== undefined;
    const observed = parseStored<JsonObject>(row.observed);
    return Object.keys(differing).every((field) => Object.hasOwn(observed, toObserved(field)));
  }
  const [link] = await listLinks(db, place.list, groupId(row.id), [userId(memberId)]);
  return link === undefined || (link.pending === null && link.observed !== null);
}

/** The name of a field in an observation. */
function toObserved(field: string): string {
  return field === 'name' ? 'fullName' : field;
}
