import { type Insertable, sql } from 'kysely';
import type { UserId } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
import { toValues } from '../engine/row-sql.ts';
import { keepFormerNames } from '../resources/former-names.ts';
import type { UserEmailsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** Makes `folded` the addresses that filters find the user by, and remembers those that go. */
export async function replaceUserEmails(tx: Db, id: UserId, folded: string[]): Promise<void> {
  const gone = await tx
    .deleteFrom('user_emails')
    .where('user_id', '=', id)
    .returning('email_folded')
    .execute();
  const old = gone.map(({ email_folded }) => email_folded);
  await keepFormerNames(tx, { type: 'user', id }, { old, names: folded });
  await insertUserEmails(tx, id, folded);
}

/** Adds addresses of a user who has none yet. */
export async function insertUserEmails(tx: Db, id: UserId, folded: string[]): Promise<void> {
  await insertEmails(
    tx,
    folded.map((email) => ({ user_id: id, email_folded: email })),
  );
}

/** Adds addresses of any users. */
export async function insertEmails(
  tx: Db,
  emails: readonly Insertable<UserEmailsTable>[],
): Promise<void> {
  for (const some of chunks(emails)) {
    await sql`insert into user_emails ${toValues(some)}`.execute(tx);
  }
}
