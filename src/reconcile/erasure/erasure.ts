import { type ErasureObstacle, listPersonalNames } from '../../domain/erasure.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  countTraces,
  eraseRow,
  eraseTraces,
  listOldTombstones,
  type TraceCounts,
  type TracedUser,
} from '../../store/resources/erasure.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow, lockUser, toObservedUser, type UserRow } from '../../store/users/users.ts';
import type { ReconcileDeps } from '../deps.ts';
import { findSayings, type Sayings } from './find-saying.ts';
import { listObstacles } from './obstacles.ts';

/** What erasing somebody comes to. */
export interface Erasure {
  readonly id: UserId;
  readonly userName: string;
  /** The id in the service. */
  readonly account: number | null;
  readonly isDeleted: boolean;
  /** Whether a tombstone stays, of ids alone. */
  readonly staysHidden: boolean;
  /** What has to be done first; nothing is erased while there is anything. */
  readonly obstacles: readonly ErasureObstacle[];
  /** Rows that say something of them, beside their own. */
  readonly counts: TraceCounts;
}

/** What erasing takes. */
export type ErasureDeps = Pick<ReconcileDeps, 'store' | 'clock'> & {
  readonly policy: Pick<ReconcileDeps['policy'], 'deactivation'>;
};

const NOTHING_SAID: Sayings = { eventIds: [], authoredIds: [], groupIds: [] };

/** What would be erased; undefined: the store has nobody of this id. */
export async function planErasure(deps: ErasureDeps, id: string): Promise<Erasure | undefined> {
  const { read } = deps.store;
  const row = await findUserRow(read, id);
  if (row === undefined) return undefined;
  const person = toTraced(row, await findSayings(read, listNames(row)));
  return toErasure(read, deps, { row, counts: await countTraces(read, person) });
}

/**
 * Erases everything personal about somebody in one transaction, and has the engine let go of it. With obstacles nothing
 * is changed. Undefined: the store has nobody of this id.
 */
export async function erasePerson(deps: ErasureDeps, id: string): Promise<Erasure | undefined> {
  const { store, clock } = deps;
  const before = await findUserRow(store.read, id);
  if (before === undefined) return undefined;
  // Before the transaction, because the audit log may be long.
  const sayings = await findSayings(store.read, listNames(before));
  const erasure = await store.write(async (tx) => {
    const row = await lockUser(tx, userId(id));
    if (row === undefined) return undefined;
    const person = toTraced(row, sayings);
    const planned = await toErasure(tx, deps, { row, counts: await countTraces(tx, person) });
    if (planned.obstacles.length > 0) return planned;
    const counts = await eraseTraces(tx, person);
    await eraseRow(tx, row, clock.now());
    return { ...planned, counts };
  });
  if (erasure?.obstacles.length === 0) await store.scrub();
  return erasure;
}

/** Tombstones that are gone through in one transaction. */
const PART = 50;

/**
 * Erases the names of people whose deletion is over since before `before` (epoch milliseconds). What tells of them by
 * id goes when its own time has come. `signal` ends it after the transaction that runs. How many they were.
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
  /** The last row that was gone through; undefined: there was none. */
  readonly lastSeq: number | undefined;
}

function forgetPart(
  { store, clock, policy }: ErasureDeps,
  { before, afterSeq }: { before: number; afterSeq: number },
): Promise<Part> {
  return store.write(async (tx) => {
    const rows = await listOldTombstones(tx, { before, afterSeq, limit: PART });
    let count = 0;
    for (const { id } of rows) {
      const row = await lockUser(tx, id);
      const now = clock.now();
      if (row === undefined || (await listObstacles(tx, row, { ...policy, now })).length > 0)
        continue;
      await eraseTraces(tx, toTraced(row, NOTHING_SAID));
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

function toTraced(row: UserRow, sayings: Sayings): TracedUser {
  return { id: row.id, account: row.upstream_id, names: listNames(row), ...sayings };
}
