import { isDeepStrictEqual } from 'node:util';
import {
  ask,
  askAgain,
  askOnly,
  type Cells,
  done,
  doubt,
  isWaiting,
  withEcho,
  withoutEchoes,
} from '../../domain/cell.ts';
import { foldCase } from '../../domain/fold.ts';
import { DEFAULT_PROVIDER, findLimit } from '../../domain/provider.ts';
import { NOT_THERE, toOwnRefusal } from '../../domain/refusal.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import {
  compareAccount,
  type DesiredUser,
  listUserDifferences,
  toSentUser,
  type UserField,
} from '../../domain/user.ts';
import { listFields } from '../../plan/step.ts';
import { followUser } from '../../rules/follow.ts';
import { findHandling, findProvider, parseLimits } from '../../store/credentials/providers.ts';
import { noteMissing } from '../../store/drifts.ts';
import { addInspection } from '../../store/due.ts';
import { hasWaiting, NOTHING_OPEN, parseCells, parseStored } from '../../store/engine/columns.ts';
import {
  leaveGroups,
  lockGroupsOf,
  moveLinks,
  notifyGroupsOf,
  resetLinksOf,
} from '../../store/links/of-users.ts';
import { findUserByUpstreamId } from '../../store/resources/find.ts';
import {
  deleteRow,
  endObserved,
  listRows,
  lockRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { isInFlight, toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { updateWhere } from '../../store/tables.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import type { Known, Problem } from '../outcome.ts';
import { OWNER_ACCOUNT } from '../user/create-account.ts';
import { toObservedColumns } from '../user/observe.ts';
import { type Recording, toSuccessColumns } from './recording.ts';
import type { UserStep } from './step.ts';

/** Locks a user and the groups that a step of it may change, groups first. */
export async function lockUser(tx: Db, { row, state }: UserStep): Promise<UserRow | undefined> {
  await lockGroupsOf(tx, row.id, state.deleted ? 'all' : 'waiting');
  return lockRow(tx, { type: 'user', id: row.id });
}

/** Result of linking a row to what a step found or created in the service: columns, or why it is not linked. */
export type Link =
  | { readonly kind: 'linked'; readonly columns: Partial<Omit<ResourceRow, 'type' | 'id'>> }
  | { readonly kind: 'later'; readonly problem: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** The link of what is not its provider's to have. @param words a sentence without its period */
export function refuseToLink(words: string): Link {
  return { kind: 'refused', problem: toOwnRefusal(words) };
}

/**
 * Links the user to the account that a step found or created. An account has at most one live user: an unmanaged row of
 * it is merged into this one; a managed one or an owner's account is refused.
 */
export async function linkAccount(
  { tx, now }: Recording,
  row: UserRow,
  known: Known,
): Promise<Link> {
  const { upstreamId, adopted, observed } = known;
  if (upstreamId === undefined) return { kind: 'linked', columns: {} };
  const found = { upstream_id: upstreamId, sent_creates: '[]' };
  if (upstreamId === row.upstream_id) return { kind: 'linked', columns: found };
  const obstacle =
    adopted && observed?.owner
      ? OWNER_ACCOUNT
      : ((await findObstacle(tx, row, known)) ??
        (await takeFromHolder(tx, row, { ...known, upstreamId, now })));
  if (obstacle !== undefined) return refuseToLink(obstacle);
  if (row.upstream_id !== null) await resetLinksOf(tx, row.id, null);
  const origin = adopted ? 'adopted' : (row.origin ?? 'created');
  return { kind: 'linked', columns: { ...found, origin } };
}

/**
 * Takes an account from the user who is linked to it. An unmanaged one ends, with its links moved. Another one was linked to it
 * before the service gave the id anew, and a look finds the right account. Returns why it is not taken.
 */
async function takeFromHolder(
  tx: Db,
  row: UserRow,
  known: Known & { readonly upstreamId: number; readonly now: number },
): Promise<string | undefined> {
  const other = await findUserByUpstreamId(tx, known.upstreamId);
  // Locked, because a request may be taking it over.
  const holder = other && (await lockRow(tx, other));
  if (holder === undefined || holder.id === row.id) return undefined;
  const isTheirs = holder.origin !== null && isAccountOf(holder, known);
  if (isTheirs) return 'the account in the service is linked to another user already';
  if (known.adopted && holder.owner === 1) return OWNER_ACCOUNT;
  if (holder.origin === null) {
    await moveLinks(tx, holder.id, row.id);
    await deleteRow(tx, holder);
    return undefined;
  }
  await resetLinksOf(tx, holder.id, null);
  const cells = JSON.stringify(ask(parseCells<UserField>(holder), ['account'], holder.version));
  const due = toLookAgainColumns(holder, known.now);
  await updateRow(tx, holder, { ...due, cells, upstream_id: null });
  return undefined;
}

/** True unless the service shows the account under names that are none of the user's. */
function isAccountOf(holder: UserRow, { observed }: Known): boolean {
  if (observed === undefined) return true;
  const { userName, email, created } = observed;
  const shown = { userName, created, emails: [email] };
  return compareAccount(toUserState(holder), shown) === 'same';
}

/** Why an account is not its provider's to have; undefined: it may be. */
async function findObstacle(tx: Db, row: UserRow, known: Known): Promise<string | undefined> {
  if (await isBeyondLimits(tx, row, known)) {
    return 'the account in the service is of a mail domain that is not this provider’s';
  }
  if (!known.adopted || (await isRecognised(tx, row, known))) return undefined;
  return 'the account in the service has a name that identifies nobody of this provider';
}

/** True for an account that its provider may not have: one of the same userName, with an address of another domain. */
async function isBeyondLimits(tx: Db, row: UserRow, { observed }: Known): Promise<boolean> {
  if (row.provider === DEFAULT_PROVIDER || row.deleted_at !== null) return false;
  const provider = await findProvider(tx, row.provider);
  const userNames = [observed?.userName, observed?.email].filter((name) => name !== undefined);
  const demands = { rights: [], userNames, groupNames: [] };
  return provider !== undefined && findLimit(parseLimits(provider), demands) !== undefined;
}

/** True for an account of a name by which the people of the provider are recognised. */
async function isRecognised(tx: Db, row: UserRow, { observed }: Known): Promise<boolean> {
  const { match } = await findHandling(tx, row.provider);
  if (match.includes('userName') && match.includes('address')) return true;
  const { userName, address } = toUserState(row).desired;
  const name = foldCase((match.includes('userName') ? userName : address) ?? '');
  if (match.length === 1 && match.includes('externalId')) return false;
  return [observed?.userName, observed?.email].some((one) => one && foldCase(one) === name);
}

/** The row after a step that worked; groups that waited for it are due. */
export async function applyUser(r: Recording, row: UserRow, known: Known): Promise<UserRow> {
  const { tx, step, now } = r;
  const observed = known.observed ? toObservedColumns(row, known.observed) : {};
  const cells = JSON.stringify(toCellsAfter(r, row, known));
  const next = await takeAccount(r, { ...row, ...observed, cells }, known);
  // Groups that waited for this account, its activation or its deactivation can go on.
  const changesAccess =
    known.upstreamId !== undefined || (step.type === 'user' && isWaiting(step.state.cells.active));
  if (changesAccess && (await notifyGroupsOf(tx, row.id, now)).length > 0) r.notifies = true;
  return next;
}

/** Cells after a step: every difference of a new account waits, and of an old account what waited and is not done. */
function toCellsAfter(
  { deps, step, isStale }: Recording,
  row: UserRow,
  { echo, observed, upstreamId, adopted, done: made = [] }: Known,
): Cells<UserField> {
  const { desired, cells } = toUserState(row);
  const planned: Cells<string> = step.state.cells;
  const heard = echo === undefined ? cells : withEcho(cells, 'name', echo);
  // The result of a call may be undone by now: the look that follows shows it.
  const left = isStale ? heard : done<string>(heard, planned, listFields(made));
  if (upstreamId === undefined || observed === undefined) return left;
  const said = echo === undefined ? {} : withEcho<UserField>({}, 'name', echo);
  const found = listUserDifferences(desired, observed, said, deps.policy.deactivation);
  // The address stays as the service made it; another one that is wanted by now is tried.
  const isRenamed = !adopted && isRenamedSince(desired, parseStored(row.sent_creates));
  const isTried = (field: UserField) => field !== 'address' || isRenamed;
  // The last write that claimed the account is answered for all of it.
  const version = cells.account?.pending ?? planned.account?.pending ?? row.version;
  return ask<UserField>(
    left,
    found.filter((field) => field === 'active' || (row.deleted_at === null && isTried(field))),
    version,
  );
}

/** True when the user has another userName or address than the creates that left. */
function isRenamedSince(desired: DesiredUser, sent: readonly SentCreate[]): boolean {
  const wanted = toSentUser(desired);
  return sent.length > 0 && !sent.some((create) => isDeepStrictEqual(create, wanted));
}

/**
 * Takes the account that a live user was just linked to from the deleted users that still have it. A call for one of them
 * may be on its way, so that the observation is not to be trusted. Returns the row after that.
 */
async function takeAccount(
  { tx, now }: Recording,
  row: UserRow,
  { upstreamId }: Known,
): Promise<UserRow> {
  if (row.deleted_at !== null || upstreamId === undefined) return row;
  const others = await listRows(tx, 'user', { upstream_id: upstreamId });
  const deleted = others.filter(({ id, deleted_at }) => id !== row.id && deleted_at !== null);
  if (deleted.length === 0) return row;
  for (const { id, version } of deleted) {
    await leaveGroups(tx, id, now);
    await moveLinks(tx, id, row.id);
    await updateWhere(tx, 'own_calls', { resource_id: id }, { resource_id: row.id });
    // What it was about to do is not to be done any more.
    const nothing = { ...NOTHING_OPEN, upstream_id: null, version: version + 1 };
    await updateRow(tx, { type: 'user', id }, nothing);
  }
  const { desired, cells } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  const fields: UserField[] = ['active', ...set];
  const asked = askAgain(cells, fields, row.version);
  const isUnsure = deleted.some((one) => isInFlight(one) || one.unsure_until !== null);
  const until = Math.max(...[row, ...deleted].map(({ unsure_until }) => unsure_until ?? 0));
  return {
    ...row,
    must_look: row.must_look + 1,
    unsure_until: isUnsure ? until : row.unsure_until,
    cells: JSON.stringify(isUnsure ? doubt(asked, fields) : asked),
  };
}

/** Fields that are managed only once they have been set. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;

/**
 * Ends a user whom the service does not have. A write that would have taken the account over is refused, and the user is
 * forgotten: undefined. Else, where something waits for it, a wanted account is created anew, and an unwanted one is done.
 * Otherwise the next comparison reports it.
 */
export async function endUser(r: Recording, row: UserRow): Promise<UserRow | undefined> {
  const { tx, waiters, now } = r;
  const takeover = waiters.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (takeover !== undefined && row.deleted_at === null) {
    await endObserved(tx, row, now);
    r.undone.push({ version: takeover.version, problem: NOT_THERE });
    return undefined;
  }
  if (!hasWaiting(row) && row.observed !== null && row.deleted_at === null) {
    await addInspection(tx, { type: 'user', id: row.id }, { source: 'discovery', now });
    // A write that comes before the inspection looks first: the id may be another person's by now.
    const observed = JSON.stringify({ ...toObservedUser(row), goneAt: now });
    return { ...row, observed, ...toSuccessColumns(r) };
  }
  const wanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  const cells = withoutEchoes(parseCells<UserField>(row));
  // Its memberships are forgotten, and the wanted ones wait to be made again.
  await resetLinksOf(tx, row.id, 0);
  if (wanted) await noteMissing(tx, { type: 'user', id: row.id, desired: { active: true } }, now);
  return {
    ...row,
    ...toObservedColumns(row, undefined),
    upstream_id: null,
    ...toSuccessColumns(r),
    // Another account may have been made since: an active user is created, any other is looked for.
    cells: JSON.stringify(askOnly(cells, row.origin === null ? [] : ['account'], row.version)),
  };
}

/** Follows the rules for a user whose write was taken back, or whose account was just found to be in groups. */
export async function followUserStep(r: Recording): Promise<void> {
  const { tx, deps, outcome, step, undone, now } = r;
  const { row } = step;
  const isLinked =
    outcome.kind === 'done' && outcome.known.upstreamId !== undefined && row.upstream_id === null;
  if (row.type === 'group' || (undone.length === 0 && !isLinked)) return;
  if (await followUser(tx, deps.rules, row.id, now)) r.notifies = true;
}
