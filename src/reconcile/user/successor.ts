import { addPending, type Pending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import { findUserByUpstreamId, type UserRow, updateUser } from '../../store/users.ts';
import { FREE_LANE } from '../retry-columns.ts';

/**
 * Whoever was given the account of a deleted person while a call for that one was on its way: what the
 * service was seen to hold before the call ended may be over, so whether the person is active waits again.
 * A run that looks right now is fenced, because its look may have come too early.
 */
export async function distrustSuccessor(
  tx: Db,
  { row, account, now }: { row: UserRow; account: number | undefined; now: number },
): Promise<void> {
  const isHandedOver = row.deleted_at !== null && row.upstream_id === null;
  if (!isHandedOver || account === undefined) return;
  const successor = await findUserByUpstreamId(tx, account);
  if (successor === undefined || successor.origin === null) return;
  const pending = parseStored<Pending<UserField>>(successor.pending);
  await updateUser(tx, successor.id, {
    ...FREE_LANE,
    lane_token: successor.lane_token + 1,
    pending: JSON.stringify(addPending(pending, ['active'], successor.version)),
    must_look: 1,
    due_at: now,
  });
}
