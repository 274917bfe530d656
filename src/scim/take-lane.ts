import type { RawBuilder } from 'kysely';
import type { Db } from '../store/database.ts';
import { type LaneClaim, type Lease, leaseEnd } from '../store/lanes.ts';

/** What of a row says who holds its lane. */
export interface LaneRow {
  readonly lane_owner: string | null;
  readonly lane_token: number;
}

/** The columns that take the lane in the transaction that stores a write, and the lease they stand for. */
export interface TakenLane {
  /** Empty when the lane is not taken. */
  readonly lane: {
    readonly lane_owner?: string;
    readonly lane_until?: RawBuilder<number>;
    readonly lane_token?: number;
  };
  /** Undefined: somebody holds the lane, and will see the write before giving it back. */
  readonly lease: Lease | undefined;
}

/**
 * Takes the lane of a row together with a write, which saves a transaction of its own. A lane whose lease
 * ran out is left to the workers: only the store knows what time it is there.
 */
export function toLane(tx: Db, row: LaneRow, claim: LaneClaim | undefined): TakenLane {
  if (claim === undefined || row.lane_owner !== null) return { lane: {}, lease: undefined };
  const token = row.lane_token + 1;
  const lane_until = leaseEnd(tx, claim);
  return { lane: { lane_owner: claim.owner, lane_until, lane_token: token }, lease: { token } };
}
