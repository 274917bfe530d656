import { sql } from 'kysely';
import type { UserId } from '../../domain/ids.ts';
import { chunks, readInChunks } from '../engine/dialect.ts';
import { toValues } from '../engine/row-sql.ts';
import { readBySeq } from '../resources/rows.ts';
import type { Db } from '../store.ts';
import { insertEmails } from './emails.ts';
import type { NewUserRow, UserRow } from './users.ts';

/** Account of the service that no provider asked for yet. */
export interface ObservedAccount {
  readonly row: NewUserRow;
  /** Addresses that filters find the user by. */
  readonly emailsFolded: string[];
}

/** Rows that stand for accounts. */
export interface RowsOfAccounts {
  /** One row an account: the live one where a managed user has the account of a deleted one by now. */
  readonly byAccount: ReadonlyMap<number, UserRow>;
  /** Unmanaged rows of accounts that a deleted user has, stored while that user was linked to the account. */
  readonly doubled: readonly { readonly deleted: UserRow; readonly unmanaged: UserRow }[];
}

/** Finds the rows that stand for these accounts; `lock`: locked until the transaction ends. */
export async function findRowsOfAccounts(
  db: Db,
  ids: readonly number[],
  { lock }: { readonly lock: boolean },
): Promise<RowsOfAccounts> {
  // By what never changes: a row that is deleted while this waits for it would belong to neither half of a search.
  const seqs = await findSeqs(db, ids);
  return toRowsOfAccounts(await readBySeq(db, 'users', { seqs, lock }));
}

/** One statement, which sees one moment; in two halves, because each has an index of its own. */
async function findSeqs(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await readInChunks(ids, (some) => {
    const named = db.selectFrom('users').select('seq').where('upstream_id', 'in', some);
    const live = named.where('deleted_at', 'is', null);
    return live.unionAll(named.where('deleted_at', 'is not', null)).execute();
  });
  return rows.map(({ seq }) => seq);
}

function toRowsOfAccounts(found: readonly UserRow[]): RowsOfAccounts {
  const byAccount = new Map<number, UserRow>();
  const doubled: { deleted: UserRow; unmanaged: UserRow }[] = [];
  const [live, deleted] = [
    found.filter(({ deleted_at }) => deleted_at === null),
    found.filter(({ deleted_at }) => deleted_at !== null),
  ];
  for (const row of [...deleted, ...live]) {
    if (row.upstream_id === null) continue;
    const other = byAccount.get(row.upstream_id);
    const isUnmanaged = row.deleted_at === null && row.origin === null;
    if (isUnmanaged && other && other.origin !== null) {
      doubled.push({ deleted: other, unmanaged: row });
    } else byAccount.set(row.upstream_id, row);
  }
  return { byAccount, doubled };
}

/** Adds users as the service shows them. @throws StoreError `store-conflict` when one is known by now. */
export async function insertObservedUsers(
  tx: Db,
  accounts: readonly ObservedAccount[],
): Promise<void> {
  for (const chunk of chunks(accounts)) {
    await sql`insert into users ${toValues(chunk.map(({ row }) => row))}`.execute(tx);
    const emails = chunk.flatMap(({ row, emailsFolded }) =>
      emailsFolded.map((email) => ({ user_id: row.id, email_folded: email })),
    );
    await insertEmails(tx, emails);
  }
}

/** An account that a filter must be able to find. */
interface KnownAccount {
  readonly upstreamId: number;
  readonly userNameFolded: string;
  readonly emailFolded: string;
}

/** Some active account that the service was seen to hold, with a userName and an address; or undefined. */
export async function findKnownAccount(db: Db): Promise<KnownAccount | undefined> {
  const { rows } = await sql<KnownAccount>`select upstream_id as "upstreamId",
      observed_user_name_folded as "userNameFolded", observed_email_folded as "emailFolded"
    from users where deleted_at is null and active = 1 and upstream_id is not null
    and observed_user_name_folded <> '' and observed_email_folded <> '' order by seq limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Lists inactive managed users without a known account whose userName or address an unmanaged account has. */
export async function listNamesakes(db: Db, limit: number): Promise<UserId[]> {
  const { rows } = await sql<{ id: UserId }>`
    select id from users as wanted
    where origin is not null and deleted_at is null and upstream_id is null and active = 0 and must_look = 0
    and exists (select 1 from users as account where account.origin is null and (
      account.observed_user_name_folded in (wanted.user_name_folded, wanted.address_folded)
      or account.observed_email_folded in (wanted.user_name_folded, wanted.address_folded)))
    order by seq limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
