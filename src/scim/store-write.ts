import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceKey } from '../domain/ids.ts';
import type { Db } from '../store/database.ts';
import type { Lease } from '../store/lanes.ts';
import { isUnsure, StoreError } from '../store/store-error.ts';
import type { ScimDeps } from './deps.ts';
import type { LaneRow } from './take-lane.ts';

/** How long it is tried to find out whether a write was kept, in milliseconds: as long as a restart takes. */
const FIND_OUT_MS = 3_000;
const ASK_EVERY_MS = 200;

/** What of a row shows that it is as somebody has written it. */
export interface WrittenRow extends LaneRow {
  readonly version: number;
  readonly attributes: string;
  readonly modified_at: number;
}

/** How a write ended in its transaction; of what has a `kind` nothing was stored that waits. */
type Attempt =
  | { readonly id: string; readonly row: WrittenRow; readonly lease: Lease | undefined }
  | { readonly kind: string };

/** What is written, and where it can be read again. */
export interface RequestedWrite<Result> {
  /** A create is looked for by what it wrote: repeated, it would be told that somebody has the name. */
  readonly kind: 'create' | 'change';
  readonly store: (tx: Db) => Promise<Result>;
  readonly findRow: (db: Db, id: string) => Promise<WrittenRow | undefined>;
  readonly toKey: (id: string) => ResourceKey;
}

/**
 * Stores a write of a request. Where the connection is lost during the commit nobody hears whether it was kept:
 * then it is looked up, and a lane that was taken with it is run or given back.
 * @throws StoreError `store-unsure` when that cannot be found out in time; whatever `store` throws
 */
export async function storeWrite<Result extends Attempt>(
  deps: Pick<ScimDeps, 'store' | 'reconciler'>,
  write: RequestedWrite<Result>,
): Promise<Result> {
  const attempts: Result[] = [];
  try {
    return await deps.store.write(async (tx) => {
      const result = await write.store(tx);
      attempts.push(result);
      return result;
    });
  } catch (error) {
    const last = attempts.at(-1);
    if (!isUnsure(error) || last === undefined) throw error;
    if (await isKept(deps, write, last)) return last;
    if ('lease' in last && last.lease) deps.reconciler.giveBack(write.toKey(last.id), last.lease);
    throw error;
  }
}

/** Whether the row is there as this attempt has written it; no answer in time is no. */
async function isKept(
  { store, reconciler }: Pick<ScimDeps, 'store' | 'reconciler'>,
  { kind, findRow }: Pick<RequestedWrite<unknown>, 'kind' | 'findRow'>,
  attempt: Attempt,
): Promise<boolean> {
  if ('kind' in attempt) return false;
  const { id, row, lease } = attempt;
  const until = performance.now() + FIND_OUT_MS;
  while (performance.now() < until) {
    try {
      const found = await findRow(store.read, id);
      if (found === undefined || !isSame(found, row)) return false;
      // Of a change by itself nobody can tell whose it is.
      return lease === undefined ? kind === 'create' : reconciler.holds(found, lease);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await sleep(ASK_EVERY_MS);
    }
  }
  return false;
}

function isSame(a: WrittenRow, b: WrittenRow): boolean {
  return (
    a.version === b.version && a.attributes === b.attributes && a.modified_at === b.modified_at
  );
}
