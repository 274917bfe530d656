import type { UserId } from '../../domain/ids.ts';
import { addPending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { HANDED_OVER } from '../../store/engine/columns.ts';
import { EVERYTHING_UNSURE } from '../../store/in-flight.ts';
import { forgetLinksOf, moveLinks } from '../../store/links/observations.ts';
import { touchUsers } from '../../store/links/shown.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import {
  deleteUser,
  findUserByUpstreamId,
  listUsersOfAccount,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import type { Problem } from '../outcome.ts';
import { toStaleColumns } from '../retry-columns.ts';
import type { UserKnown } from './outcome.ts';

/** Result of linking: the account is this user's, with its origin, or it cannot be. */
export type LinkResult =
  | { readonly kind: 'linked'; readonly origin: Origin | null }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Links the user to the account that a step found or created. An account has at most one live user: an unmanaged row of
 * it is merged into this one; a managed one or an owner's account is refused.
 */
export async function linkAccount(
  tx: Db,
  row: UserRow,
  known: UserKnown,
  now: number,
): Promise<LinkResult> {
  const { upstreamId, adopted, observed } = known;
  if (upstreamId === undefined) return { kind: 'linked', origin: row.origin };
  const holder = await findUserByUpstreamId(tx, upstreamId);
  if (holder !== undefined && holder.id !== row.id) {
    if (holder.origin !== null) return refuse('another user is already linked to this account');
    if (adopted && holder.owner === 1) return refuse('the account is an owner of the company');
    await moveLinks(tx, holder.id, row.id);
    await deleteUser(tx, holder.id);
    await touchUsers(tx, [row.id], now);
  }
  if (adopted && observed?.owner) return refuse('the account is an owner of the company');
  return { kind: 'linked', origin: adopted ? 'adopted' : (row.origin ?? 'created') };
}

/** Unlinks an account that is gone: its memberships are forgotten, and the wanted ones wait to be made again. */
export async function unlinkAccount(tx: Db, id: UserId, now: number): Promise<void> {
  await forgetLinksOf(tx, id);
  await touchUsers(tx, [id], now);
}

function refuse(words: string): LinkResult {
  return { kind: 'refused', problem: { code: 'conflict', words } };
}

/** Account that a step was about or found, and the time of recording (epoch milliseconds). */
interface Ended {
  readonly account: number | undefined;
  readonly now: number;
  /** True when the call that ended may still take effect. */
  readonly isUnsure: boolean;
}

/**
 * Hands the account of a deleted user over to its successor: the same person, created again while a call for the
 * deleted user was on its way. True when nothing is left to do for the deleted user.
 */
export async function handOverToSuccessor(
  tx: Db,
  row: UserRow,
  { account, now, isUnsure }: Ended,
): Promise<boolean> {
  if (row.deleted_at === null || account === undefined) return false;
  const others = await listUsersOfAccount(tx, account);
  if (row.upstream_id === null && others.some((other) => wasThereBefore(other, row))) {
    await leaveGroups(tx, row.id, now);
    return true;
  }
  const [successor] = others.filter(({ id, origin }) => id !== row.id && origin !== null);
  if (successor === undefined) return false;
  await leaveGroups(tx, row.id, now);
  await moveLinks(tx, row.id, successor.id);
  await markStale(tx, successor, { now, isUnsure });
  return true;
}

/** True for an account that was known before the lost create was sent; the create did not leave it. */
function wasThereBefore(other: UserRow, row: UserRow): boolean {
  return other.id !== row.id && other.origin === null && other.created_at < row.created_at;
}

/**
 * Makes the successor look again. Its last observation may be outdated, so all that was asked of the user waits again.
 * The successor keeps its lock, because its own call may be on its way.
 */
async function markStale(
  tx: Db,
  successor: UserRow,
  { now, isUnsure }: Pick<Ended, 'now' | 'isUnsure'>,
): Promise<void> {
  await updateUser(tx, successor.id, {
    ...toStaleColumns(now),
    ...(isUnsure && EVERYTHING_UNSURE),
    pending: toStalePending(successor),
  });
}

/**
 * Takes the account that a live user was just linked to from the deleted users that still have it. Returns those: a call
 * for one of them may be on its way, so that the observation is not to be trusted.
 */
export async function inheritAccount(
  tx: Db,
  row: UserRow,
  { account, now }: Pick<Ended, 'account' | 'now'>,
): Promise<UserRow[]> {
  if (row.deleted_at !== null || account === undefined) return [];
  const others = await listUsersOfAccount(tx, account);
  const deleted = others.filter(({ id, deleted_at }) => id !== row.id && deleted_at !== null);
  for (const { id } of deleted) {
    await leaveGroups(tx, id, now);
    await moveLinks(tx, id, row.id);
    await updateUser(tx, id, { ...HANDED_OVER, upstream_id: null });
  }
  return deleted;
}

/** Pending fields of a user whose account another call may have changed: all fields that were ever set. */
export function toStalePending(row: UserRow): string {
  const { desired, pending } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  const stale = addPending<UserField>({}, ['active', ...set], row.version);
  return JSON.stringify({ ...stale, ...pending });
}

/** Fields that are managed only once they have been set. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
