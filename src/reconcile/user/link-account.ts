import type { UserId } from '../../domain/ids.ts';
import { addPending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { forgetLinksOf, moveLinks } from '../../store/link-observations.ts';
import { leaveGroups } from '../../store/link-work.ts';
import type { Origin } from '../../store/schema.ts';
import { touchUsers } from '../../store/shown-links.ts';
import type { Db } from '../../store/store.ts';
import {
  deleteUser,
  findUserByUpstreamId,
  listUsersOfAccount,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users.ts';
import type { Problem } from '../outcome.ts';
import { toStaleColumns } from '../retry-columns.ts';
import type { UserKnown } from './outcome.ts';

/** Whether the account is now this user's, and how it came to be managed. */
export type LinkResult =
  | { readonly kind: 'linked'; readonly origin: Origin | null }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Makes the account that a step found or created this user's. An account has at most one live user: one
 * that was only observed meanwhile is merged into this one, one that is managed or an owner's is not.
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

/** The account is gone: nobody is in any group any more, and whoever is wanted waits to be put back. */
export async function unlinkAccount(tx: Db, id: UserId, now: number): Promise<void> {
  await forgetLinksOf(tx, id);
  await touchUsers(tx, [id], now);
}

function refuse(words: string): LinkResult {
  return { kind: 'refused', problem: { code: 'conflict', words } };
}

/** The account that a step was about or found, and when it is recorded (epoch milliseconds). */
interface Ended {
  readonly account: number | undefined;
  readonly now: number;
}

/**
 * Gives up the account of a deleted person where somebody else has it by now: the same person, created
 * again while a call for the deleted one was on its way. True: there is nothing left to do for this one.
 */
export async function handOverToSuccessor(
  tx: Db,
  row: UserRow,
  { account, now }: Ended,
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
  await distrust(tx, successor, now);
  return true;
}

/** What was seen before the lost create was asked for is not what it left. */
function wasThereBefore(other: UserRow, row: UserRow): boolean {
  return other.id !== row.id && other.origin === null && other.created_at < row.created_at;
}

/**
 * What the service was seen to hold of the successor before the call ended may be over, so all that was asked
 * of the person waits again. Whoever runs the successor keeps the lane, because a call of theirs may be on its
 * way, and looks again.
 */
async function distrust(tx: Db, successor: UserRow, now: number): Promise<void> {
  await updateUser(tx, successor.id, {
    ...toStaleColumns(successor, now),
    pending: toStalePending(successor),
  });
}

/**
 * Takes an account that a live person was just linked to from the deleted one that still has it. True: a
 * call for the deleted one may be on its way, so what was seen of the account is not to be trusted.
 */
export async function inheritAccount(
  tx: Db,
  row: UserRow,
  { account, now }: Ended,
): Promise<boolean> {
  if (row.deleted_at !== null || account === undefined) return false;
  const others = await listUsersOfAccount(tx, account);
  const deleted = others.filter(({ id, deleted_at }) => id !== row.id && deleted_at !== null);
  for (const { id } of deleted) {
    await leaveGroups(tx, id, now);
    await moveLinks(tx, id, row.id);
    await updateUser(tx, id, { upstream_id: null, pending: '{}', due_at: null });
  }
  return deleted.length > 0;
}

/** What waits of a person when any of it may have been changed behind their back: all that is theirs. */
export function toStalePending(row: UserRow): string {
  const { desired, pending } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  const stale = addPending<UserField>({}, ['active', ...set], row.version);
  return JSON.stringify({ ...stale, ...pending });
}

/** What is theirs only once somebody has set it. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
