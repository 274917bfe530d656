import type { ErasureObstacle } from '../../domain/erasure.ts';
import { listPersonalNames, OBSTACLES } from '../../domain/erasure.ts';
import { isGone, isWorking } from '../../domain/kinds.ts';
import { lockUntilCommit } from '../../store/engine/dialect.ts';
import { eraseRow, eraseTraces, findErasureFacts } from '../../store/resources/erasure.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { lockRow, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isAtWork } from '../differences.ts';

type ErasureDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'rules'>;

/** Erases everything personal about a user, and has the engine overwrite it; with obstacles, or in a dry run, nothing. Undefined: unknown id. */
export async function eraseUser(deps: ErasureDeps, id: string, dryRun = false) {
  const { store } = deps;
  const erasure = await store.write((tx) => erase(tx, deps, id, dryRun));
  if (typeof erasure?.rows === 'number') await store.scrub();
  return erasure;
}

const PART = 50;

/** Erases users whose deletion ended before `before` (epoch milliseconds), until `signal` is aborted. */
export async function forgetTombstones(
  deps: ErasureDeps,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const { read, write } = deps.store;
  const old = { deleted_at: { '<': before }, erased_at: null, due_at: null };
  for await (const rows of readRows(read, 'user', { limit: PART, where: old })) {
    for (const { id } of rows) {
      if (signal.aborted) return;
      await write((tx) => erase(tx, deps, id, false));
    }
  }
}

async function erase(tx: Db, deps: ErasureDeps, id: string, dryRun: boolean) {
  await lockUntilCommit(tx, 'former-ids');
  const row = await lockRow(tx, { type: 'user', id });
  if (row === undefined) return undefined;
  const obstacles = await listObstacles(tx, deps, row);
  let rows: number | null = null;
  if (obstacles.length === 0 && !dryRun) {
    rows = await eraseTraces(tx, row, listPersonalNames(row.attributes, row.observed));
    await eraseRow(tx, row, deps.clock.now());
  }
  return {
    id: row.id,
    userName: row.name,
    account: row.upstream_id,
    deleted: row.deleted_at !== null,
    /** True when a tombstone stays, of ids alone. */
    staysHidden: row.upstream_id !== null && row.origin !== null,
    /** Reasons against erasing now; with any of them nothing is erased. */
    obstacles,
    /** Rows beside the user's own that said something of them; null: nothing was erased. */
    rows,
  };
}

/** Time in which the audit log may still tell of a call of the bridge, in milliseconds: events come minutes late. */
const LOGGED_WITHIN_MS = 10 * 60_000;

async function listObstacles(
  db: Db,
  { clock, rules }: ErasureDeps,
  row: UserRow,
): Promise<ErasureObstacle[]> {
  if (row.erased_at !== null) return ['erased'];
  const isDeleted = row.deleted_at !== null;
  if (!isDeleted && row.origin !== null) return ['managed'];
  const now = clock.now();
  const { observed } = row;
  const { links, held, drifts, calledAt } = await findErasureFacts(db, row);
  // A comparison that misses an unmanaged account looks for it, and forgets one that is gone.
  const isShown = !isDeleted && !isGone(observed);
  const works = observed !== null && isWorking(observed, rules.deactivation);
  const found: Readonly<Partial<Record<ErasureObstacle, boolean>>> = {
    'in-service': isShown,
    active: isDeleted && works,
    pending: isAtWork(row) || row.sent_creates.length > 0 || links > 0,
    held: held > 0,
    drifting: drifts > 0,
    recent: now - (calledAt ?? 0) < LOGGED_WITHIN_MS,
  };
  return OBSTACLES.filter((obstacle) => found[obstacle] === true);
}
