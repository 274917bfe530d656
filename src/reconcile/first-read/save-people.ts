import { listFoldedEmails } from '../../domain/address.ts';
import { newId, userId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { toUserColumns } from '../../store/columns.ts';
import type { Db } from '../../store/database.ts';
import {
  insertObservedUsers,
  lockUsersByAccount,
  type ObservedPerson,
} from '../../store/observations.ts';
import { replaceUserEmails, toObservedUser, type UserRow, updateUser } from '../../store/users.ts';
import { toObservedColumns, toUnmanagedAttributes } from '../user/observe.ts';
import { judgeSighting, toLookAgainColumns } from './fate.ts';
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
  const added: ObservedPerson[] = [];
  for (const [upstreamId, account] of accounts) {
    const row = rows.get(upstreamId);
    if (row === undefined) {
      added.push(toNewPerson(upstreamId, account.observe(undefined), now));
      continue;
    }
    const before = toObservedUser(row);
    const fate = judgeSighting({ ...row, observedAt: before?.at }, sentAt);
    if (fate === 'look-again') await updateUser(tx, row.id, toLookAgainColumns(row, now));
    if (fate === 'merge') await savePerson(tx, row, { observed: account.observe(before), now });
  }
  await insertObservedUsers(tx, added);
}

function toNewPerson(upstreamId: number, observed: ObservedUser, now: number): ObservedPerson {
  const attributes = toUnmanagedAttributes(observed);
  return {
    row: {
      ...toObservedColumns(observed),
      ...toUserColumns(attributes),
      id: userId(newId()),
      upstream_id: upstreamId,
      created_at: now,
      modified_at: now,
    },
    emailsFolded: listFoldedEmails(attributes),
  };
}

/** An unmanaged person is shown as observed; a managed one is shown as desired, whatever was seen. */
async function savePerson(
  tx: Db,
  row: UserRow,
  { observed, now }: { observed: ObservedUser; now: number },
): Promise<void> {
  const columns = toObservedColumns(observed);
  const attributes = toUnmanagedAttributes(observed);
  const shown = toUserColumns(attributes);
  if (row.origin !== null || shown.attributes === row.attributes) {
    await updateUser(tx, row.id, columns);
    return;
  }
  const changed = { version: row.version + 1, modified_at: now };
  await updateUser(tx, row.id, { ...columns, ...shown, ...changed });
  await replaceUserEmails(tx, row.id, listFoldedEmails(attributes));
}
