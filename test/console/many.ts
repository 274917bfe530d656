import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../src/store/store.ts';
import type { TestBridge } from '../support/bridge.ts';
import { addUser, untilSettled } from '../support/provider.ts';

/** Users of a large company. */
export const USERS = 100_000;
/** Differences after somebody ran a script in the service. */
export const DRIFTS = 20_000;
/** Changes of the plan that repairs some of them. */
export const CHANGES = 5_000;

const ID = sql.raw(`'00000000-0000-4000-8000-' || substr('000000000000' || n, -12)`);
const NAME = sql.raw(`'person' || n || '@example.com'`);

/** Numbers from 1 on, as a common table. */
function numbers(count: number): RawBuilder<unknown> {
  return sql.raw(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`,
  );
}

/** Fills a SQLite store: as many users, drifts and changes of one plan that waits. */
export async function fillStore(bridge: TestBridge): Promise<void> {
  const ada = await addUser(bridge, 'ada');
  await untilSettled(bridge);
  await bridge.store.write(async (tx) => {
    await copyUsers(tx, ada);
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

async function copyUsers(tx: Db, id: string): Promise<void> {
  const { rows } = await sql`select * from users where id = ${id}`.execute(tx);
  const columns = Object.keys(Object(rows[0])).filter((name) => name !== 'seq');
  const changed: Readonly<Record<string, RawBuilder<unknown>>> = {
    ...{ id: ID, upstream_id: sql.raw('1000000 + n'), user_name: NAME, user_name_folded: NAME },
    ...{ observed_user_name_folded: NAME, observed_email_folded: NAME },
  };
  const values = columns.map((name) => changed[name] ?? sql.ref(`users.${name}`));
  await sql`insert into users (${sql.join(columns.map((name) => sql.ref(name)))})
    select * from (${numbers(USERS)} select ${sql.join(values)} from numbers, users
    where users.id = ${id})`.execute(tx);
}
