import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { newId, type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { parseStored, toUserColumns } from '../../store/engine/columns.ts';
import { moveLinks } from '../../store/links/observations.ts';
import { listNamesUnderWay } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import { replaceUserEmails } from '../../store/users/emails.ts';
import type { ObservedAccount } from '../../store/users/observations.ts';
import {
  insertObservedUsers,
  lockUsersByAccount,
  type ObservedDocument,
  saveObservedDocuments,
} from '../../store/users/observations.ts';
import { deleteUser, toObservedUser, type UserRow, updateUser } from '../../store/users/users.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideDeletedMerge, decideMerge } from '../merge-decision.ts';
import { toObservedColumns, toUnmanagedAttributes } from '../user/observe.ts';
import type { PageTimes } from './read-list.ts';

/** Account as a list shows it. */
export interface SeenAccount {
  readonly upstreamId: number;
  /** Merges this account into the observation before. */
  observe(before: ObservedUser | undefined): ObservedUser;
}

/**
 * Stores the users of a list, by account, so that a repeated page adds none. A user written since the list was asked
 * for keeps the newer state. Returns the managed users whose licence was not known before.
 */
export async function saveUsers(
  tx: Db,
  seen: readonly SeenAccount[],
  { sentAt, now }: PageTimes,
): Promise<UserId[]> {
  const accounts = new Map(seen.map((account) => [account.upstreamId, account]));
  const { byAccount: rows, doubled } = await lockUsersByAccount(tx, [...accounts.keys()]);
  for (const { deleted, unmanaged } of doubled) {
    await moveLinks(tx, unmanaged.id, deleted.id);
    await deleteUser(tx, unmanaged.id);
  }
  const added: ObservedAccount[] = [];
  const isAnyNew = [...accounts.keys()].some((id) => !rows.has(id));
  const underWay = isAnyNew ? await listNamesUnderWay(tx, 'users') : new Set<string>();
  const confirmed: ObservedDocument[] = [];
  const licensed: UserId[] = [];
  for (const [upstreamId, account] of accounts) {
    const row = rows.get(upstreamId);
    if (row === undefined) {
      const user = toNewUser(upstreamId, account.observe(undefined), now);
      if (!isOneOf(underWay, user)) added.push(user);
      continue;
    }
    const before = toObservedUser(row);
    const observed = account.observe(before);
    if (!(await isNews(tx, row, { before, observed, sentAt, now }))) continue;
    if (row.origin !== null && tellsLicence(observed, before)) licensed.push(row.id);
    const document = await saveUser(tx, row, { observed, now });
    if (document) confirmed.push(document);
  }
  await saveObservedDocuments(tx, confirmed);
  await insertObservedUsers(tx, added);
  return licensed;
}

/**
 * True for an account that a create of ours may have made: the look of the user who waits for it tells. Under another id it
 * would be lost to whoever writes it meanwhile.
 */
function isOneOf(underWay: ReadonlySet<string>, { row }: ObservedAccount): boolean {
  const names = [row.observed_user_name_folded, row.observed_email_folded];
  return names.some((name) => typeof name === 'string' && underWay.has(name));
}

interface Shown {
  readonly before: ObservedUser | undefined;
  readonly observed: ObservedUser;
  readonly sentAt: number;
  readonly now: number;
}

/** True when a list tells news of a user; one that may be older than a call makes a look due. */
async function isNews(
  tx: Db,
  row: UserRow,
  { before, observed, sentAt, now }: Shown,
): Promise<boolean> {
  const stored = { ...row, seen: before };
  const decision =
    row.deleted_at === null ? decideMerge(stored, sentAt) : decideDeletedMerge(stored, sentAt);
  if (decision !== 'look-again' || agrees(observed, before)) {
    return decision === 'merge' || decision === 'look-again';
  }
  await updateUser(tx, row.id, toLookAgainColumns(row, now));
  return false;
}

function tellsLicence(observed: ObservedUser, before: ObservedUser | undefined): boolean {
  return observed.appsPermissions !== undefined && before?.appsPermissions === undefined;
}

/**
 * Tells whether a list shows of an account what our own call showed meanwhile, so that no look is needed: mostly a
 * user who was created while the list was read.
 */
function agrees(shown: ObservedUser, before: ObservedUser | undefined): boolean {
  if (before === undefined) return false;
  return FACTS.every((fact) => before[fact] === undefined || before[fact] === shown[fact]);
}

/** Facts that the service states of an account. */
const FACTS = [
  'userName',
  'email',
  'fullName',
  'active',
  'owner',
  'role',
  'virtual',
  'appsPermissions',
  'temporarilyInactive',
] as const satisfies readonly (keyof ObservedUser)[];

function toNewUser(upstreamId: number, observed: ObservedUser, now: number): ObservedAccount {
  const attributes = toUnmanagedAttributes(observed);
  return {
    row: {
      ...toObservedColumns({ erased_at: null }, observed),
      ...toUserColumns(attributes),
      id: userId(newId()),
      upstream_id: upstreamId,
      created_at: now,
      modified_at: now,
    },
    emailsFolded: listFoldedEmails(attributes),
  };
}

/**
 * Stores an observation: an unmanaged user is shown as observed, a managed one as desired. Returns the document that is
 * left to be stored, where nothing else changed, as is usual.
 */
async function saveUser(
  tx: Db,
  row: UserRow,
  { observed, now }: { observed: ObservedUser; now: number },
): Promise<ObservedDocument | undefined> {
  const { observed: document, ...indexed } = toObservedColumns(row, observed);
  const attributes = row.origin === null ? toUnmanagedAttributes(observed) : undefined;
  const shown = attributes && toUserColumns(attributes);
  if (attributes !== undefined && shown?.attributes !== row.attributes) {
    const changed = { ...shown, version: row.version + 1, modified_at: now };
    await updateUser(tx, row.id, { observed: document, ...indexed, ...changed }, row);
    const emails = listFoldedEmails(attributes);
    const before = listFoldedEmails(parseStored<JsonObject>(row.attributes));
    if (!isDeepStrictEqual(emails, before)) await replaceUserEmails(tx, row.id, emails);
    return undefined;
  }
  const isIndexedSo = INDEXED.every((column) => row[column] === indexed[column]);
  if (isIndexedSo) return { seq: row.seq, observed: document };
  await updateUser(tx, row.id, { observed: document, ...indexed }, row);
  return undefined;
}

/** Columns of an observation beside its document. */
const INDEXED = [
  'observed_user_name_folded',
  'observed_email_folded',
  'owner',
  'takes_seat',
] as const;
