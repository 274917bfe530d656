import { isDeepStrictEqual } from 'node:util';
import { ask, askAgain, type Cells, listWaiting, onlyWaiting } from '../../domain/cell.ts';
import { withoutFailures } from '../../domain/failure.ts';
import { foldCase } from '../../domain/fold.ts';
import { DEFAULT_PROVIDER, findLimit } from '../../domain/provider.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import {
  type DesiredUser,
  removesUserAccess,
  toSentUser,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { findHandling, findProvider, parseLimits } from '../../store/credentials/providers.ts';
import { HANDED_OVER, parseStored, toDueClass } from '../../store/engine/columns.ts';
import { EVERYTHING_UNSURE, isInFlight } from '../../store/in-flight.ts';
import { moveLinks } from '../../store/links/observations.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import {
  deleteUser,
  findUserByUpstreamId,
  listUsersByName,
  listUsersOfAccount,
  lockUser,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import type { Recorded } from '../recorded.ts';
import type { Link } from '../resource-kind.ts';
import { toStaleColumns } from '../retry-columns.ts';
import { toObservedColumns } from './observe.ts';
import type { UserKnown } from './outcome.ts';

/** Why the account of an owner is never given to a user by itself, in our words. */
export const OWNER_ACCOUNT =
  'the account in the service is an owner of the company, and is not taken over';

/**
 * Links the user to the account that a step found or created. An account has at most one live user: an unmanaged row of
 * it is merged into this one; a managed one or an owner's account is refused.
 */
export async function linkAccount(tx: Db, row: UserRow, known: UserKnown): Promise<Link<UserRow>> {
  const { upstreamId, adopted, observed } = known;
  if (upstreamId === undefined) return { kind: 'linked', columns: {} };
  const found = { upstream_id: upstreamId, lost_looks: 0, sent_creates: '[]' };
  if (upstreamId === row.upstream_id) return { kind: 'linked', columns: found };
  const obstacle = await findObstacle(tx, row, known);
  if (obstacle !== undefined) return refuse(obstacle);
  const other = await findUserByUpstreamId(tx, upstreamId);
  // Locked, because a request may be taking it over.
  const holder = other && (await lockUser(tx, other.id));
  if (holder !== undefined && holder.id !== row.id) {
    if (holder.origin !== null)
      return refuse('the account in the service is linked to another user already');
    if (adopted && holder.owner === 1) return refuse(OWNER_ACCOUNT);
    await moveLinks(tx, holder.id, row.id);
    await deleteUser(tx, holder.id);
  }
  if (adopted && observed?.owner) return refuse(OWNER_ACCOUNT);
  const origin = adopted ? 'adopted' : (row.origin ?? 'created');
  return { kind: 'linked', columns: { ...found, origin } };
}

/** Why an account is not its provider's to have; undefined: it may be. */
async function findObstacle(tx: Db, row: UserRow, known: UserKnown): Promise<string | undefined> {
  if (await isBeyondLimits(tx, row, known)) {
    return 'the account in the service is of a mail domain that is not this provider’s';
  }
  if (!known.adopted || (await isRecognised(tx, row, known))) return undefined;
  return 'the account in the service has a name that identifies nobody of this provider';
}

/** True for an account that its provider may not have: one of the same userName, with an address of another domain. */
async function isBeyondLimits(tx: Db, row: UserRow, { observed }: UserKnown): Promise<boolean> {
  if (row.provider === DEFAULT_PROVIDER || row.deleted_at !== null) return false;
  const provider = await findProvider(tx, row.provider);
  const userNames = [observed?.userName, observed?.email].filter((name) => name !== undefined);
  const demands = { rights: [], userNames, groupNames: [] };
  return provider !== undefined && findLimit(parseLimits(provider), demands) !== undefined;
}

/** True for an account of a name by which the people of the provider are recognised. */
async function isRecognised(tx: Db, row: UserRow, { observed }: UserKnown): Promise<boolean> {
  const { match } = await findHandling(tx, row.provider);
  if (match.includes('userName') && match.includes('address')) return true;
  const { userName, address } = toUserState(row).desired;
  const name = foldCase((match.includes('userName') ? userName : address) ?? '');
  if (match.length === 1 && match.includes('externalId')) return false;
  return [observed?.userName, observed?.email].some((one) => one && foldCase(one) === name);
}

function refuse(words: string): Link<UserRow> {
  return { kind: 'refused', problem: toOwnRefusal(words) };
}

/** Users and groups that are due after a step. */
type Notified = Recorded<UserState>['notified'];

/** Account that a step was about or found, and the time of recording (epoch milliseconds). */
interface Ended {
  readonly account: number | undefined;
  readonly now: number;
  /** True when the call that ended may still take effect. */
  readonly isUnsure: boolean;
}

/**
 * Hands the account of a deleted user over to its successor: the same person, created again while a call for the
 * deleted user was on its way. Returns what is due now: nothing is left to do for the deleted user.
 */
export async function handOverToSuccessor(
  tx: Db,
  row: UserRow,
  { account, now, isUnsure }: Ended,
): Promise<Notified | undefined> {
  if (row.deleted_at === null || account === undefined) return undefined;
  const others = await listUsersOfAccount(tx, account);
  if (row.upstream_id === null && others.some((other) => wasThereBefore(other, row))) {
    return leaveGroups(tx, row.id, now);
  }
  const [successor] = others.filter(({ id, origin }) => id !== row.id && origin !== null);
  if (successor === undefined) return undefined;
  const left = await leaveGroups(tx, row.id, now);
  await moveLinks(tx, row.id, successor.id);
  // Its last observation may be outdated, so it looks again, and all that was asked of the user waits again.
  await updateUser(tx, successor.id, {
    ...toStaleColumns(now),
    ...(isUnsure && EVERYTHING_UNSURE),
    cells: JSON.stringify(toStaleCells(successor)),
  });
  return [...left, successor.id];
}

/**
 * Gives the account that a deleted user was just found to have to the live user of the same userName, who has none: the
 * bridge creates nothing for somebody inactive, and would never find it. Returns what is due now: nothing is left to do
 * for the deleted user.
 */
export async function handOverByName(
  tx: Db,
  row: UserRow,
  { known, now, isUnsure }: Pick<Ended, 'now' | 'isUnsure'> & { readonly known: UserKnown },
): Promise<Notified | undefined> {
  const { upstreamId: account } = known;
  if (row.deleted_at === null || row.upstream_id !== null || account === undefined)
    return undefined;
  const successor = await lockWithoutAccount(tx, row.user_name_folded);
  if (successor === undefined) return undefined;
  if (isInFlight(successor)) {
    // A call of its own may tell the account, or may have looked too early: then it looks again.
    await updateUser(tx, successor.id, toStaleColumns(now));
    return undefined;
  }
  const linked = await linkAccount(tx, successor, known);
  if (linked.kind !== 'linked') return undefined;
  const left = await leaveGroups(tx, row.id, now);
  const cells = toInheritedCells(successor, row);
  const { desired } = toUserState(successor);
  await updateUser(tx, successor.id, {
    ...toStaleColumns(now),
    ...toObservedColumns(successor, known.observed),
    ...(isUnsure && EVERYTHING_UNSURE),
    ...linked.columns,
    ...{ stuck_at: null, seat_since: null, cells: JSON.stringify(cells) },
    due_class: toDueClass(removesUserAccess({ desired, cells })),
  });
  return [...left, successor.id];
}

/** Locks the managed user of this userName, where nobody knows an account of it. */
async function lockWithoutAccount(tx: Db, userNameFolded: string): Promise<UserRow | undefined> {
  const named = await listUsersByName(tx, userNameFolded);
  const found = named.find(({ origin, upstream_id }) => origin !== null && upstream_id === null);
  const row = found && (await lockUser(tx, found.id));
  const isSame =
    row?.user_name_folded === userNameFolded && row.deleted_at === null && row.upstream_id === null;
  return isSame ? row : undefined;
}

/** Cells of a user who gets the account that a create of the deleted user made: all that may differ in it waits. */
function toInheritedCells(successor: UserRow, deleted: UserRow): Cells<UserField> {
  const cells = toStaleCells(successor);
  const sent = parseStored<SentCreate[]>(deleted.sent_creates);
  const { desired } = toUserState(successor);
  const known = onlyWaiting(
    withoutFailures(cells),
    listWaiting(cells).filter((field) => field !== 'account'),
  );
  return isRenamedSince(desired, sent) ? ask(known, ['address'], successor.version) : known;
}

/** True when the user has another userName or address than the creates that left. */
export function isRenamedSince(desired: DesiredUser, sent: readonly SentCreate[]): boolean {
  const wanted = toSentUser(desired);
  return sent.length > 0 && !sent.some((create) => isDeepStrictEqual(create, wanted));
}

/** True for an account that was known before the lost create was sent; the create did not leave it. */
function wasThereBefore(other: UserRow, row: UserRow): boolean {
  return other.id !== row.id && other.origin === null && other.created_at < row.created_at;
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

/** Cells of a user whose account another call may have changed: all fields that were ever set wait. */
export function toStaleCells(row: UserRow): Cells<UserField> {
  const { desired, cells } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  return askAgain(cells, ['active', ...set], row.version);
}

/** Fields that are managed only once they have been set. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
