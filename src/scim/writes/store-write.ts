import { setTimeout as sleep } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import { isUnsure, StoreError } from '../../store/engine/store-error.ts';
import { findGroupRow } from '../../store/groups/groups.ts';
import { type LaneClaim, type Lease, leaseEnd } from '../../store/lanes.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow } from '../../store/users/users.ts';
import type { ScimDeps } from '../deps.ts';
import { type AcceptedWrite, toKey } from './write-result.ts';

/** Time to find out whether a write was kept, in milliseconds: as long as a restart of the store takes. */
const FIND_OUT_MS = 3_000;
const ASK_EVERY_MS = 200;

/** Result of one attempt; a result with a `kind` stored nothing that waits. */
type Attempt = AcceptedWrite | { readonly kind: string };

/** Columns that take the lane in the transaction that stores a write, and the lease that they stand for. */
export interface TakenLane {
  /** Empty when the lane is not taken. */
  readonly lane: {
    readonly lane_owner?: string;
    readonly lane_until?: RawBuilder<number>;
    readonly lane_token?: number;
  };
  /** Undefined: another run holds the lane, and will see the write before it gives the lane back. */
  readonly lease: Lease | undefined;
}

/**
 * Takes the lane of a row together with a write, which saves a transaction of its own. A lane with an expired
 * lease is left to the workers, because only the store knows the time there.
 */
export function toLane(
  tx: Db,
  row: { readonly lane_owner: string | null; readonly lane_token: number },
  claim: LaneClaim | undefined,
): TakenLane {
  if (claim === undefined || row.lane_owner !== null) return { lane: {}, lease: undefined };
  const token = row.lane_token + 1;
  const lane_until = leaseEnd(tx, claim);
  return { lane: { lane_owner: claim.owner, lane_until, lane_token: token }, lease: { token } };
}

/**
 * Stores a write of a request. When the connection is lost during the commit, the outcome is unknown: then the
 * row is looked up, and a lane that was taken with the write is run or given back.
 * @param kind a create is recognised by the row that it wrote: repeated, it would find its own name taken
 * @throws StoreError `store-unsure` when the outcome cannot be found out in time; every error of `store`
 */
export async function storeWrite<Result extends Attempt>(
  deps: Pick<ScimDeps, 'store' | 'reconciler'>,
  kind: 'create' | 'change',
  store: (tx: Db) => Promise<Result>,
): Promise<Result> {
  const attempts: Result[] = [];
  try {
    return await deps.store.write(async (tx) => {
      const result = await store(tx);
      attempts.push(result);
      return result;
    });
  } catch (error) {
    const last = attempts.at(-1);
    if (!isUnsure(error) || last === undefined) throw error;
    if ('kind' in last) throw error;
    if (await isKept(deps, kind, last)) return last;
    if (last.lease) deps.reconciler.giveBack(toKey(last), last.lease);
    throw error;
  }
}

/** True when the row is there as this attempt has written it; false also when no answer came in time. */
async function isKept(
  { store, reconciler }: Pick<ScimDeps, 'store' | 'reconciler'>,
  kind: 'create' | 'change',
  { type, id, row, lease }: AcceptedWrite,
): Promise<boolean> {
  const until = performance.now() + FIND_OUT_MS;
  while (performance.now() < until) {
    try {
      const found = await (type === 'user' ? findUserRow : findGroupRow)(store.read, id);
      if (found === undefined || !isSame(found, row)) return false;
      // The row alone does not tell whose change it holds.
      return lease === undefined ? kind === 'create' : reconciler.holds(found, lease);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await sleep(ASK_EVERY_MS);
    }
  }
  return false;
}

function isSame(a: AcceptedWrite['row'], b: AcceptedWrite['row']): boolean {
  return (
    a.version === b.version && a.attributes === b.attributes && a.modified_at === b.modified_at
  );
}
