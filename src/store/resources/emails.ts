import { isDeepStrictEqual } from 'node:util';
import { type Insertable, sql } from 'kysely';
import { listFoldedEmails } from '../../domain/address.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks } from '../engine/dialect.ts';
import { toValues } from '../engine/row-sql.ts';
import type { UserEmailsTable } from '../schema.ts';
import type { Db } from '../store.ts';
import { keepFormerNames } from './former-names.ts';
import { insertRows, type NewRow } from './rows.ts';

/** Saves the shown addresses of a changed user, by which filters find the user. */
export async function saveEmails(
  tx: Db,
  before: { readonly attributes: string },
  after: { readonly id: UserId; readonly attributes: string },
): Promise<void> {
  if (after.attributes === before.attributes) return;
  const [was, is = []] = [before, after].map(({ attributes }) =>
    listFoldedEmails(parseStored<JsonObject>(attributes)),
  );
  if (!isDeepStrictEqual(was, is)) await replaceUserEmails(tx, after.id, is);
}

/** Makes `folded` the addresses that filters find the user by, and remembers those that go. */
export async function replaceUserEmails(tx: Db, id: UserId, folded: string[]): Promise<void> {
  const gone = await tx
    .deleteFrom('user_emails')
    .where('user_id', '=', id)
    .returning('email_folded')
    .execute();
  const old = gone.map(({ email_folded }) => email_folded);
  await keepFormerNames(tx, { type: 'user', id }, { old, names: folded });
  await insertEmails(
    tx,
    folded.map((email) => ({ user_id: id, email_folded: email })),
  );
}

/** Adds addresses of any users. */
async function insertEmails(tx: Db, emails: readonly Insertable<UserEmailsTable>[]): Promise<void> {
  for (const some of chunks(emails)) {
    await sql`insert into user_emails ${toValues(some)}`.execute(tx);
  }
}

/** Account of the service that no provider asked for yet. */
export interface ObservedAccount {
  readonly row: NewRow<'user'>;
  /** Addresses that filters find the user by. */
  readonly emailsFolded: string[];
}

/** Adds users as the service shows them. @throws StoreError `store-conflict` when one is known by now. */
export async function insertObservedUsers(
  tx: Db,
  accounts: readonly ObservedAccount[],
): Promise<void> {
  await insertRows(
    tx,
    accounts.map(({ row }) => row),
  );
  const emails = accounts.flatMap(({ row, emailsFolded }) =>
    emailsFolded.map((email) => ({ user_id: row.id, email_folded: email })),
  );
  await insertEmails(tx, emails);
}
