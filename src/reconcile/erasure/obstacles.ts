import type { ErasureObstacle } from '../../domain/erasure.ts';
import { type Deactivation, isObservedActive } from '../../domain/user.ts';
import { hasWaiting } from '../../store/engine/columns.ts';
import { findErasureFacts } from '../../store/resources/erasure.ts';
import type { Db } from '../../store/store.ts';
import { findComparedSince } from '../../store/sweeps.ts';
import { toObservedUser, type UserRow } from '../../store/users/users.ts';

/**
 * Time in which the audit log may still tell of a call of the bridge, in milliseconds: events come up to five minutes
 * late, and are matched with calls of two minutes around them.
 */
const TOLD_MS = 10 * 60_000;

/** Lists the reasons against erasing this user now; empty when there is none. `now` is epoch milliseconds. */
export async function listObstacles(
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
