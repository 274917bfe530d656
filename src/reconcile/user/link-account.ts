import { isDeepStrictEqual } from 'node:util';
import { askAgain, type Cells } from '../../domain/cell.ts';
import { foldCase } from '../../domain/fold.ts';
import { DEFAULT_PROVIDER, findLimit } from '../../domain/provider.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { type DesiredUser, toSentUser, type UserField } from '../../domain/user.ts';
import { moveOwnCalls } from '../../store/audit/own-calls.ts';
import { findHandling, findProvider, parseLimits } from '../../store/credentials/providers.ts';
import { NOTHING_OPEN } from '../../store/engine/columns.ts';
import { EVERYTHING_UNSURE, isUnsure, markInterrupted } from '../../store/in-flight.ts';
import { leaveGroups, moveLinks } from '../../store/links/of-users.ts';
import { findUserByUpstreamId, listUsersOfAccount } from '../../store/resources/by-upstream.ts';
import { deleteRow, lockRow, type UserRow, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { Link } from '../resource-kind.ts';
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
  const found = { upstream_id: upstreamId, sent_creates: '[]' };
  if (upstreamId === row.upstream_id) return { kind: 'linked', columns: found };
  const obstacle = await findObstacle(tx, row, known);
  if (obstacle !== undefined) return refuse(obstacle);
  const other = await findUserByUpstreamId(tx, upstreamId);
  // Locked, because a request may be taking it over.
  const holder = other && (await lockRow(tx, other));
  if (holder !== undefined && holder.id !== row.id) {
    if (holder.origin !== null)
      return refuse('the account in the service is linked to another user already');
    if (adopted && holder.owner === 1) return refuse(OWNER_ACCOUNT);
    await moveLinks(tx, holder.id, row.id);
    await deleteRow(tx, holder);
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

/** True when the user has another userName or address than the creates that left. */
export function isRenamedSince(desired: DesiredUser, sent: readonly SentCreate[]): boolean {
  const wanted = toSentUser(desired);
  return sent.length > 0 && !sent.some((create) => isDeepStrictEqual(create, wanted));
}

/**
 * Takes the account that a live user was just linked to from the deleted users that still have it. A call for one of them
 * may be on its way, so that the observation is not to be trusted. Returns the row after that.
 */
export async function takeAccount(
  tx: Db,
  row: UserRow,
  account: number | undefined,
  now: number,
): Promise<UserRow> {
  if (row.deleted_at !== null || account === undefined) return row;
  const others = await listUsersOfAccount(tx, account);
  const deleted = others.filter(({ id, deleted_at }) => id !== row.id && deleted_at !== null);
  if (deleted.length === 0) return row;
  for (const { id, version } of deleted) {
    await markInterrupted(tx, { type: 'user', id }, now);
    await leaveGroups(tx, id, now);
    await moveLinks(tx, id, row.id);
    await moveOwnCalls(tx, [id], row.id);
    // What it was about to do is not to be done any more.
    await updateRow(
      tx,
      { type: 'user', id },
      { ...NOTHING_OPEN, upstream_id: null, version: version + 1 },
    );
  }
  const unsure = deleted.some(isUnsure) ? EVERYTHING_UNSURE : {};
  return { ...row, ...unsure, must_look: 1, cells: JSON.stringify(toStaleCells(row)) };
}

/** Cells of a user whose account another call may have changed: all fields that were ever set wait. */
function toStaleCells(row: UserRow): Cells<UserField> {
  const { desired, cells } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  return askAgain(cells, ['active', ...set], row.version);
}

/** Fields that are managed only once they have been set. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
