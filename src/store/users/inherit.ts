import { onlyEchoes } from '../../domain/cell.ts';
import { foldCase } from '../../domain/fold.ts';
import { newId, userId } from '../../domain/ids.ts';
import { HANDED_OVER, parseCells } from '../engine/columns.ts';
import { EVERYTHING_UNSURE, isInFlight, isUnsure } from '../in-flight.ts';
import { leaveGroups } from '../links/work.ts';
import { LOST_CREATE } from '../resources/sent-creates.ts';
import type { Db } from '../store.ts';
import { forgetLostUsers, type NewUserRow, type UserRow, updateUser } from './users.ts';

/** Columns that a new user takes over from a deleted one. */
export interface Inherited {
  readonly from?: UserRow;
  readonly columns: Partial<NewUserRow>;
}

/**
 * Hands the account of a deleted user to the new one in this transaction, which cancels its
 * deactivation; its departures from groups stand. A call for the old one may still be on its way:
 * then the new one looks first.
 */
export async function inherit(tx: Db, tombstone: UserRow, now: number): Promise<Inherited> {
  await leaveGroups(tx, tombstone.id, now);
  await updateUser(tx, tombstone.id, { ...HANDED_OVER, upstream_id: null });
  const { upstream_id, observed, owner, takes_seat, must_look } = tombstone;
  const { observed_user_name_folded, observed_email_folded } = tombstone;
  const columns = {
    upstream_id,
    observed,
    cells: JSON.stringify(onlyEchoes(parseCells(tombstone))),
    owner,
    takes_seat,
    observed_user_name_folded,
    observed_email_folded,
    must_look: isInFlight(tombstone) ? 1 : must_look,
    ...(isUnsure(tombstone) && EVERYTHING_UNSURE),
  };
  return { from: tombstone, columns };
}

/** Takes up what an earlier create may have left: an account of this name, which is looked for first. */
export async function inheritLost(
  tx: Db,
  { userName, address }: { userName: string; address: string | undefined },
): Promise<Inherited> {
  const keys = { userNameFolded: foldCase(userName), emailFolded: foldCase(address ?? userName) };
  const id = userId(newId());
  const lost = await forgetLostUsers(tx, keys, id);
  if (lost === undefined) return { columns: {} };
  return { columns: { id, must_look: 1, ...LOST_CREATE, sent_creates: JSON.stringify(lost) } };
}
