import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createMention,
  type ErasureObstacle,
  listPersonalNames,
  silence,
} from '../../domain/erasure.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Deactivation, isObservedActive } from '../../domain/user.ts';
import { hasWaiting, parseStored } from '../../store/engine/columns.ts';
import {
  eraseRow,
  findErasureFacts,
  listOldTombstones,
  listSayingEvents,
} from '../../store/resources/erasure.ts';
import { lockFormerIds } from '../../store/resources/former-ids.ts';
import { type KeptWords, listKeptWords } from '../../store/resources/kept-words.ts';
import {
  countTraces,
  eraseTraces,
  type TraceCounts,
  type TracedUser,
} from '../../store/resources/traces.ts';
import type { Db } from '../../store/store.ts';
import { findComparedSince } from '../../store/sweeps.ts';
import { findUserRow, lockUser, toObservedUser, type UserRow } from '../../store/users/users.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Result of erasing one user, done or planned. */
export interface Erasure {
  readonly id: UserId;
  readonly userName: string;
  /** Id in the service. */
  readonly account: number | null;
  readonly isDeleted: boolean;
  /** True when a tombstone stays, of ids alone. */
  readonly staysHidden: boolean;
  /** Reasons against erasing now; with any of them nothing is erased. */
  readonly obstacles: readonly ErasureObstacle[];
  /** Numbers of rows that mention the user, beside the user's own. */
  readonly counts: TraceCounts;
}

/** Dependencies of an erasure. */
export type ErasureDeps = Pick<ReconcileDeps, 'store' | 'clock'> & {
  readonly policy: Pick<ReconcileDeps['policy'], 'deactivation'>;
};

/** Events have a time of their own, after which they go. */
const NO_EVENTS: EventMentions = { eventIds: [], authoredIds: [] };

/** Plans the erasure of a user; undefined when the store has no user of this id. */
export async function planErasure(deps: ErasureDeps, id: string): Promise<Erasure | undefined> {
  const { read } = deps.store;
  const row = await findUserRow(read, id);
  if (row === undefined) return undefined;
  const person = toTraced(row, {
    ...(await findEvents(read, listNames(row))),
    kept: await listKeptWords(read),
  });
  return toErasure(read, deps, { row, counts: await countTraces(read, person) });
}

/**
 * Erases everything personal about a user in one transaction, and makes the database engine overwrite it. With
 * obstacles nothing is changed. Undefined when the store has no user of this id.
 */
export async function eraseUser(deps: ErasureDeps, id: string): Promise<Erasure | undefined> {
  const { store, clock } = deps;
  const before = await findUserRow(store.read, id);
  if (before === undefined) return undefined;
  // Read before the transaction, because the audit log may be long.
  const events = await findEvents(store.read, listNames(before));
  const erasure = await store.write(async (tx) => {
    await lockFormerIds(tx);
    const row = await lockUser(tx, userId(id));
    if (row === undefined) return undefined;
    const person = toTraced(row, { ...events, kept: await listKeptWords(tx) });
    const planned = await toErasure(tx, deps, { row, counts: await countTraces(tx, person) });
    if (planned.obstacles.length > 0) return planned;
    const counts = await eraseTraces(tx, person);
    await eraseRow(tx, row, clock.now());
    return { ...planned, counts };
  });
  if (erasure?.obstacles.length === 0) await store.scrub();
  return erasure;
}

/** Tombstones of one transaction. */
const PART = 50;

/**
 * Erases the names of users whose deletion ended before `before` (epoch milliseconds). Rows that name them by id are
 * pruned in their own time. `signal` ends it after the running transaction. Returns the number of users.
 */
export async function forgetTombstones(
  deps: ErasureDeps,
  before: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined && !signal?.aborted; ) {
    const part: Part = await forgetPart(deps, { before, afterSeq });
    count += part.count;
    afterSeq = part.lastSeq;
  }
  return count;
}

interface Part {
  readonly count: number;
  /** Last row of the part; undefined when there was none. */
  readonly lastSeq: number | undefined;
}

function forgetPart(
  { store, clock, policy }: ErasureDeps,
  { before, afterSeq }: { before: number; afterSeq: number },
): Promise<Part> {
  return store.write(async (tx) => {
    await lockFormerIds(tx);
    const rows = await listOldTombstones(tx, { before, afterSeq, limit: PART });
    const kept = rows.length === 0 ? [] : await listKeptWords(tx);
    let count = 0;
    for (const { id } of rows) {
      const row = await lockUser(tx, id);
      const now = clock.now();
      if (row === undefined || (await listObstacles(tx, row, { ...policy, now })).length > 0)
        continue;
      await eraseTraces(tx, toTraced(row, { ...NO_EVENTS, kept }));
      await eraseRow(tx, row, now);
      count += 1;
    }
    return { count, lastSeq: rows.at(-1)?.seq };
  });
}

async function toErasure(
  db: Db,
  { clock, policy }: ErasureDeps,
  { row, counts }: { row: UserRow; counts: TraceCounts },
): Promise<Erasure> {
  return {
    id: row.id,
    userName: row.user_name,
    account: row.upstream_id,
    isDeleted: row.deleted_at !== null,
    staysHidden: row.upstream_id !== null && row.origin !== null,
    obstacles: await listObstacles(db, row, { ...policy, now: clock.now() }),
    counts,
  };
}

function listNames(row: UserRow): string[] {
  return listPersonalNames(parseStored<JsonObject>(row.attributes), toObservedUser(row));
}

function toTraced(
  row: UserRow,
  { kept, ...events }: EventMentions & { readonly kept: readonly KeptWords[] },
): TracedUser {
  const names = listNames(row);
  const isMentioned = createMention(names);
  const words = kept.flatMap((place) => {
    const silent = silence(place.text, isMentioned);
    return silent === undefined ? [] : [{ ...place, silent }];
  });
  return { id: row.id, account: row.upstream_id, names, words, ...events };
}

/** Events of one read. */
const EVENTS_PART = 1_000;

/** Mentions of a user in the audit log. */
type EventMentions = Pick<TracedUser, 'eventIds' | 'authoredIds'>;

/** Searches the texts of events for one of these names. */
async function findEvents(db: Db, names: readonly string[]): Promise<EventMentions> {
  const isMentioned = createMention(names);
  const [eventIds, authoredIds]: [string[], string[]] = [[], []];
  for (let afterId = ''; ; ) {
    const events = await listSayingEvents(db, { afterId, limit: EVENTS_PART });
    for (const { id, message, details, author_username } of events) {
      if (isMentioned(message) || isMentioned(details)) eventIds.push(id);
      if (isMentioned(author_username)) authoredIds.push(id);
    }
    const last = events.at(-1);
    if (last === undefined) break;
    afterId = last.id;
    // Many reads of the store in a row would block the event loop.
    await nextTurn();
  }
  return { eventIds, authoredIds };
}

/**
 * Time in which the audit log may still tell of a call of the bridge, in milliseconds: events come up to five minutes
 * late, and are matched with calls of two minutes around them.
 */
const TOLD_MS = 10 * 60_000;

/** Lists the reasons against erasing this user now; empty when there is none. `now` is epoch milliseconds. */
async function listObstacles(
  db: Db,
  row: UserRow,
  { deactivation, now }: { deactivation: Deactivation; now: number },
): Promise<ErasureObstacle[]> {
  if (row.erased_at !== null) return ['erased'];
  if (row.deleted_at === null && row.origin !== null) return ['managed'];
  const { links, held, drifts, calledAt } = await findErasureFacts(db, {
    id: row.id,
    account: row.upstream_id,
  });
  const isShown = row.deleted_at === null && (await isStillShown(db, row, now));
  return [
    ...(isShown ? (['in-service'] as const) : []),
    ...(row.deleted_at !== null && works(row, deactivation) ? (['active'] as const) : []),
    ...(isUnderWay(row) || links > 0 ? (['pending'] as const) : []),
    ...(held > 0 ? (['held'] as const) : []),
    ...(drifts > 0 ? (['drifting'] as const) : []),
    ...(now - (calledAt ?? 0) < TOLD_MS ? (['recent'] as const) : []),
  ];
}

/** True when an unmanaged account may still exist: no complete comparison has missed it. */
async function isStillShown(db: Db, row: UserRow, now: number): Promise<boolean> {
  const comparedSince = await findComparedSince(db, { before: now, admins: false });
  return (toObservedUser(row)?.at ?? 0) >= comparedSince;
}

function works(row: UserRow, deactivation: Deactivation): boolean {
  const observed = toObservedUser(row);
  return observed !== undefined && isObservedActive(observed, deactivation);
}

function isUnderWay(row: UserRow): boolean {
  return (
    row.due_at !== null ||
    row.in_flight !== 0 ||
    hasWaiting(row) ||
    row.stuck_at !== null ||
    row.must_look !== 0 ||
    row.lost_looks > 0 ||
    row.sent_creates !== '[]'
  );
}
