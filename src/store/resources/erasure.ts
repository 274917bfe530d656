import { sql } from 'kysely';
import { onlyPending } from '../../domain/cell.ts';
import { ACTIVE_STATUSES } from '../../domain/change.ts';
import { createMention, ERASED } from '../../domain/erasure.ts';
import { withoutPersonalData } from '../../domain/kinds.ts';
import { foldCase } from '../../domain/values.ts';
import { toColumns } from '../engine/columns.ts';
import { execute, readOne, select } from '../engine/dialect.ts';
import { listNameKeys } from '../logs.ts';
import type { Db } from '../store.ts';
import { deleteWhere, updateWhere } from '../tables.ts';
import type { UserRow } from './rows.ts';
import { deleteRow, updateRow } from './rows.ts';

/** Erases the user's own row. A tombstone of its id stays where a list could bring the user back. */
export async function eraseRow(tx: Db, row: UserRow, now: number): Promise<void> {
  if (row.upstream_id === null || row.origin === null) return deleteRow(tx, row, now);
  const attributes = { userName: ERASED, active: false };
  await updateRow(tx, row, {
    ...toColumns('user', attributes),
    // Text that cannot be a name.
    name_folded: '',
    observed: row.observed && withoutPersonalData(row.observed),
    observed_user_name_folded: null,
    observed_email_folded: null,
    cells: onlyPending(row.cells),
    sent_creates: [],
    last_error: null,
    version: row.version + 1,
    modified_at: now,
    erased_at: now,
  });
}

/**
 * Erases what other tables say of the user, and returns the number of rows. Logs and plans keep ids, which name nobody:
 * limits and a recovery count them. What events say that name somebody else goes with them.
 */
export async function eraseTraces(tx: Db, row: UserRow, names: readonly string[]): Promise<number> {
  const { id, seq, upstream_id: account } = row;
  const about = sql`(resource_id = ${id} or member_id = ${id})`;
  const keys = [...names.map(foldCase), ...listNameKeys(row)];
  const naming = await deleteWhere(tx, 'audit_event_subjects', { subject: [id, ...keys] });
  const eventIds = naming.map(({ event_id }) => event_id);
  // An event is reduced to its time and its kind.
  const reduced = { message: null, author_id: null, author_username: null, author_address: null };
  const changed = [
    naming,
    await deleteWhere(tx, 'audit_event_subjects', { event_id: eventIds, resource_type: null }),
    await updateWhere(tx, 'audit_events', { id: eventIds }, reduced),
    await updateWhere(tx, 'audit_events', { author_id: account ?? -1 }, reduced),
    await updateWhere(tx, 'audit_events', { author_username: [...names] }, reduced),
    await deleteWhere(tx, 'disputes', { resource_type: 'user', name_folded: names.map(foldCase) }),
    await deleteWhere(tx, 'names', { resource: id }),
    await deleteWhere(tx, 'former_ids', { resource_type: 'user', resource_id: id }),
    await deleteWhere(tx, 'links', { target: seq }),
  ];
  const statements = [
    sql`delete from notices where key like ${`leaver:${id}:%`}`,
    sql`delete from drifts where ${about}`,
    sql`update plan_actions set desired = 'null', observed = 'null' where ${about}`,
  ];
  let rows = changed.reduce((sum, some) => sum + some.length, 0);
  for (const statement of statements) rows += await execute(tx, statement);
  await silenceWords(tx, names);
  return rows;
}

const FAILS = sql`(due_at is not null or stuck_at is not null)`;
const WORDS = [
  { table: 'resources', column: 'last_error', fails: FAILS },
  { table: 'resources', column: 'cells', fails: FAILS },
  { table: 'links', column: 'failure', fails: sql`pending is not null` },
] as const;

/** Takes the service's words out of the failures of others that mention one of these names. */
async function silenceWords(tx: Db, names: readonly string[]): Promise<void> {
  const isMentioned = createMention(names);
  for (const { table, column, fails } of WORDS) {
    const rows = await select<{ text: string }>(tx)`
      select distinct ${sql.ref(column)} as text from ${sql.table(table)}
      where ${fails} and ${sql.ref(column)} like '%"words"%'`;
    for (const { text } of rows.filter((one) => isMentioned(one.text))) {
      const silent = text.replaceAll(/"words":"(?:[^"\\]|\\.)*"/g, `"words":"${ERASED}"`);
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${silent}
        where ${fails} and ${sql.ref(column)} = ${text}`.execute(tx);
    }
  }
}

/** Counts what of a user is under way: places in groups, actions, active drifts. `calledAt`: the last change by the bridge; null: none. */
export async function findErasureFacts(
  db: Db,
  { id, upstream_id }: Pick<UserRow, 'id' | 'upstream_id'>,
) {
  const active = sql.join(ACTIVE_STATUSES.map((status) => sql.lit(status)));
  const about = sql`(resource_id = ${id} or member_id = ${id})`;
  const number = String(upstream_id ?? '');
  type Facts = Record<'links' | 'held' | 'drifts', number> & { calledAt: number | null };
  return readOne<Facts>(db)`select
    (select count(*) from links where target = (select seq from resources where id = ${id})
      and (pending is not null or retry_at is not null or stuck_at is not null)) as links,
    (select count(*) from plan_actions where ${about} and plan_id in (
        select id from plans where ended_at is null)) as held,
    (select count(*) from drifts where ${about} and status in (${active})
      and kind not like '%.unmanaged') as drifts,
    (select max(at) from own_calls where resource_id = ${id}
      or (member_id = ${number} and member_id <> '')) as "calledAt"`;
}
