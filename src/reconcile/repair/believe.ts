import type { UserId } from '../../domain/ids.ts';
import { toSentUser } from '../../domain/user.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import { listUserNamesSeen } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import { toAccountKeys } from '../user/find-account.ts';

/** Age until which a read is believed, in milliseconds: meanwhile nobody follows what others change in the service. */
const BELIEF_MS = 24 * 60 * 60_000;

/**
 * Tells whether what the complete read showed of users, which began with the plan, is believed without a look. While observing, the bridge changed
 * nothing, so the read shows every account; a store that may be older than the service does not know what it
 * created. An account made by somebody since the read is reported by the service, which has each address once.
 */
export function isBelieved(
  { source, created_at: readSince }: Pick<PlanRow, 'source' | 'created_at'>,
  now: number,
): boolean {
  return source === 'first-run' && now - readSince < BELIEF_MS;
}

/**
 * Lists those of these users for whom the service has no account: no create was ever sent for them, nothing was
 * asked of them since the read began, and no account that was seen has one of their names.
 */
export async function listUnknownUsers(
  db: Db,
  rows: readonly UserRow[],
  readSince: number,
): Promise<UserId[]> {
  const uncreated = rows
    .filter((row) => isUntouched(row, readSince))
    .map((row) => ({ id: row.id, names: listNames(row) }));
  const names = uncreated.flatMap((one) => one.names);
  const seen = await listUserNamesSeen(db, names);
  return uncreated.filter((one) => !one.names.some((name) => seen.has(name))).map(({ id }) => id);
}

function isUntouched(row: UserRow, readSince: number): boolean {
  const hasSentNothing = row.upstream_id === null && row.sent_creates === '[]';
  return hasSentNothing && row.lost_looks === 0 && row.modified_at < readSince;
}

function listNames(row: UserRow): string[] {
  const { userNameFolded, emailFolded } = toAccountKeys(toSentUser(toUserState(row).desired));
  return [userNameFolded, ...(emailFolded === undefined ? [] : [emailFolded])];
}
