import { type RawBuilder, sql } from 'kysely';
import type { Db, Store } from '../../src/store/store.ts';

/** Users of a large company. */
export const USERS = 100_000;
/** Differences after somebody ran a script in the service. */
export const DRIFTS = 20_000;
/** Members of one group. */
const MEMBERS = 20_000;
/** Changes of the plan that repairs some of them. */
export const CHANGES = 5_000;

const ID = sql.raw(`'00000000-0000-4000-8000-' || substr('000000000000' || n, -12)`);
const NAME = sql.raw(`'person' || n || '@example.com'`);

const HOUR_MS = 3_600_000;

/** Numbers from 1 on, as a common table. */
function numbers(count: number): RawBuilder<unknown> {
  return sql.raw(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`,
  );
}

/**
 * Fills a SQLite store: as many users, each like the one that is there already, drifts with their events of the audit
 * log, and changes of one plan that waits.
 * @param like the SCIM id of the user
 * @param group the SCIM id of a group, which gets members
 */
export async function fillStore(
  store: Pick<Store, 'write'>,
  { like, group }: { readonly like: string; readonly group: string },
): Promise<void> {
  await store.write(async (tx) => {
    await copyUsers(tx, like);
    await addEvents(tx);
    await addMembers(tx, group);
    await sql`insert into drifts (id, kind, change, resource_type, resource_id, member_id, desired,
        observed, status, first_seen_at, last_seen_at, detector, plan_id)
      select * from (${numbers(DRIFTS)} select 'd' || n, 'user.deactivated', 'user.activate', 'user',
        ${ID}, '', '{"active":true}', '{"active":false}', 'open', 1000, 1000, 'sweep',
        case when n <= ${sql.lit(CHANGES)} then 'large' end from numbers)`.execute(tx);
    const counts = JSON.stringify({
      total: CHANGES,
      kinds: { 'user.activate': CHANGES },
      harm: {},
    });
    await sql`insert into plans (id, hash, status, source, reason, counts, automatic, created_at)
      values ('large', 'abc', 'held', 'sweep', 'more than the limits allow', ${counts}, 1, 1000)`.execute(
      tx,
    );
    await sql`insert into plan_actions (plan_id, kind, resource_type, resource_id, member_id, desired,
        observed, harm, status, planned_at)
      select * from (${numbers(CHANGES)} select 'large', 'user.activate', 'user', ${ID}, '',
        '{"active":true}', '{"active":false}', null, 'planned', 1000 from numbers)`.execute(tx);
  });
}

async function addMembers(tx: Db, group: string): Promise<void> {
  await sql`insert into memberships (group_id, user_id, desired, observed, pending)
    select * from (${numbers(MEMBERS)} select ${group}, ${ID}, 1, 1, null from numbers)`.execute(
    tx,
  );
}

/** An event for each drift, by one author. */
async function addEvents(tx: Db): Promise<void> {
  await sql`insert into audit_events (id, created_at, action, message, author_id, author_username,
      author_address, origin)
    select * from (${numbers(DRIFTS)} select 'e' || n, 900, 'deactivate', 'a script did it', 7, 'carl',
      '192.0.2.1', 'foreign' from numbers)`.execute(tx);
  await sql`insert into audit_event_subjects (event_id, subject, resource_type, at)
    select * from (${numbers(DRIFTS)} select 'e' || n, ${ID}, 'user', 900 from numbers)`.execute(
    tx,
  );
}

async function copyUsers(tx: Db, id: string): Promise<void> {
  const { rows } = await sql`select * from users where id = ${id}`.execute(tx);
  const columns = Object.keys(Object(rows[0])).filter((name) => name !== 'seq');
  const changed: Readonly<Record<string, RawBuilder<unknown>>> = {
    ...{ id: ID, upstream_id: sql.raw('1000000 + n'), user_name: NAME, user_name_folded: NAME },
    ...{ observed_user_name_folded: NAME, observed_email_folded: NAME },
    // Differences of what was written a moment ago are judged anew, and these are made up.
    modified_at: sql.raw(`users.modified_at - ${HOUR_MS}`),
  };
  const values = columns.map((name) => changed[name] ?? sql.ref(`users.${name}`));
  await sql`insert into users (${sql.join(columns.map((name) => sql.ref(name)))})
    select * from (${numbers(USERS)} select ${sql.join(values)} from numbers, users
    where users.id = ${id})`.execute(tx);
}
