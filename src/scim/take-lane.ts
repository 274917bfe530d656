import type { LaneClaim, Lease } from '../store/lanes.ts';

/** The lane columns of a row. */
export interface LaneColumns {
  readonly lane_owner: string | null;
  readonly lane_until: number | null;
  readonly lane_token: number;
  readonly must_look: number;
}

/** The columns that take the lane in the transaction that stores a write, and the lease they stand for. */
export interface TakenLane {
  readonly lane: LaneColumns;
  /** Undefined: somebody holds the lane, and will see the write before giving it back. */
  readonly lease: Lease | undefined;
}

/** Takes the lane of a row together with a write, which saves a transaction of its own. */
export function toLane(row: LaneColumns, claim: LaneClaim | undefined): TakenLane {
  const { lane_owner, lane_until, lane_token, must_look } = row;
  const isFree = claim !== undefined && (lane_until === null || lane_until <= claim.now);
  if (!isFree) return { lane: { lane_owner, lane_until, lane_token, must_look }, lease: undefined };
  const lease = { token: lane_token + 1, until: claim.now + claim.leaseMs };
  return {
    lane: {
      lane_owner: claim.owner,
      lane_until: lease.until,
      lane_token: lease.token,
      // A lease that ran out leaves a call behind whose outcome nobody knows.
      must_look: lane_owner === null ? must_look : 1,
    },
    lease,
  };
}
