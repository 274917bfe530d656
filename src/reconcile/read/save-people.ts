import { listFoldedEmails } from '../../domain/address.ts';
import { newId, userId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import {
  insertObservedUsers,
  lockUsersByAccount,
  type ObservedAccount,
  type ObservedDocument,
  saveObservedDocuments,
} from '../../store/users/observations.ts';
import {
  replaceUserEmails,
  toObservedUser,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import { judgeReturn, judgeSighting, toLookAgainColumns } from '../fate.ts';
import { type ObservedColumns, toObservedColumns, toUnmanagedAttributes } from '../user/observe.ts';
import type { PageTimes } from './read-list.ts';

/** One account as a list shows it. */
export interface SeenAccount {
  readonly upstreamId: number;
  /** What is observed now, over what was observed before. */
  observe(before: ObservedUser | undefined): ObservedUser;
}

/**
 * Stores what a list says of people. By account, so that a page which comes again adds nobody; what was
 * written since the list was asked for keeps what it knows.
 */
export async function savePeople(
  tx: Db,
  seen: readonly SeenAccount[],
  { sentAt, now }: PageTimes,
): Promise<void> {
  const accounts = new Map(seen.map((account) => [account.upstreamId, account]));
  const rows = await lockUsersByAccount(tx, [...accounts.keys()]);
  const added: ObservedAccount[] = [];
  const confirmed: ObservedDocument[] = [];
  for (const [upstreamId, account] of accounts) {
    const row = rows.get(upstreamId);
    if (row === undefined) {
      added.push(toNewPerson(upstreamId, account.observe(undefined), now));
      continue;
    }
    const before = toObservedUser(row);
    const stored = { ...row, seen: before };
    const fate =
      row.deleted_at === null ? judgeSighting(stored, sentAt) : judgeReturn(stored, sentAt);
    if (fate === 'look-again') await updateUser(tx, row.id, toLookAgainColumns(row, now));
    if (fate !== 'merge') continue;
    const document = await savePerson(tx, row, { observed: account.observe(before), now });
    if (document) confirmed.push(document);
  }
  await saveObservedDocuments(tx, confirmed);
  await insertObservedUsers(tx, added);
}

function toNewPerson(upstreamId: number, observed: ObservedUser, now: number): ObservedAccount {
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
 * An unmanaged person is shown as observed; a managed one is shown as desired, whatever was seen. Gives what is left to
 * be stored, where that is the document alone: mostly a list says what is known.
 */
async function savePerson(
  tx: Db,
  row: UserRow,
  { observed, now }: { observed: ObservedUser; now: number },
): Promise<ObservedDocument | undefined> {
  const { observed: document, ...indexed } = toObservedColumns(row, observed);
  const attributes = row.origin === null ? toUnmanagedAttributes(observed) : undefined;
  const shown = attributes && toUserColumns(attributes);
  if (attributes !== undefined && shown?.attributes !== row.attributes) {
    const changed = { ...shown, version: row.version + 1, modified_at: now };
    await updateUser(tx, row.id, { observed: document, ...indexed, ...changed });
    await replaceUserEmails(tx, row.id, listFoldedEmails(attributes));
    return undefined;
  }
  if (isIndexedSo(row, indexed)) return { seq: row.seq, observed: document };
  await updateUser(tx, row.id, { observed: document, ...indexed });
  return undefined;
}

function isIndexedSo(row: UserRow, indexed: Omit<ObservedColumns, 'observed'>): boolean {
  return (
    row.observed_user_name_folded === indexed.observed_user_name_folded &&
    row.observed_email_folded === indexed.observed_email_folded &&
    row.owner === indexed.owner
  );
}
