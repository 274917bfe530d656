import type { UserId } from '../../domain/ids.ts';
import { toSentUser } from '../../domain/user.ts';
import { listUserNamesSeen } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import { toAccountKeys } from '../user/account-keys.ts';
import type { RecoveryReason } from './recovery-state.ts';

/** For how long a read is believed, in milliseconds: until then nobody follows what others change in the service. */
const BELIEF_MS = 24 * 60 * 60_000;

/** The complete read that a plan rests on: when it began (epoch milliseconds), and why the service was read. */
export interface CompleteRead {
  readonly readSince: number;
  readonly reason: RecoveryReason;
}

/**
 * Whether what the read showed of people is believed without a look. While observing, no call of the bridge
 * left, so the read shows all that there is; a store that may be older than the service does not know what it
 * created. An account that somebody made since the read is told by the service, which has each address once.
 */
export function isBelieved({ reason, readSince }: CompleteRead, now: number): boolean {
  return reason.code === 'first-run' && now - readSince < BELIEF_MS;
}

/**
 * Those of these people for whom the service has no account: no create of theirs ever left, nothing was asked
 * of them since the read began, and no account that was seen has one of their names.
 */
export async function listUnknownUsers(
  db: Db,
  rows: readonly UserRow[],
  { readSince }: CompleteRead,
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
