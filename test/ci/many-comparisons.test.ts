import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Db } from '../../src/store/store.ts';
import { bridgeForSuite } from '../support/bridge.ts';

const MANY = 400;
const USERS = 60_000;
const LONG_USERS = 300;
const LONG_TEXT = 'x'.repeat(250_000);

const bridge = bridgeForSuite();

beforeAll(async () => {
  await bridge.addUser('ada');
});

async function addPeople(change: object, { first, last }: { first: number; last: number }) {
  const { store } = bridge;
  const user = await store.read.selectFrom('resources').selectAll().executeTakeFirstOrThrow();
  const name = sql`'person' || cast(n as text)`;
  const names = { name, name_folded: name };
  const own = { id: name, ...names, upstream_id: sql`2000000 + n` };
  await store.write((tx) =>
    insertMany(tx, 'resources', { ...user, seq: undefined, ...own, ...change }, { first, last }),
  );
}

function search(comparisons: number) {
  const parts = Array.from({ length: comparisons }, (_, index) => `title co "t${index}"`);
  return bridge.request('POST', '/Users/.search', { filter: parts.join(' or ') });
}

const REFUSED = {
  status: 400,
  body: {
    scimType: 'tooMany',
    detail:
      'The filter compares each resource with 400 values, which is more than 20000000 comparisons in all; compare with 20, or name resources by id, userName, externalId or emails with "eq".',
  },
};

test('it is ended where the users turn out to be long', async () => {
  const row = await bridge.store.read.selectFrom('resources').selectAll().executeTakeFirstOrThrow();
  const attributes = JSON.stringify({ ...JSON.parse(String(row.attributes)), title: LONG_TEXT });
  await addPeople({ attributes }, { first: 1, last: LONG_USERS });

  expect(await search(MANY)).toMatchObject(REFUSED);
  expect(await search(20)).toMatchObject({ status: 200, body: { totalResults: 0 } });
  // Nobody else has to read them.
  const { attributes: short } = row;
  await bridge.store.write((tx) =>
    tx
      .updateTable('resources')
      .set({ attributes: short })
      .where(sql<boolean>`id like 'person%'`)
      .execute(),
  );
});

test('it is refused before it runs where there are many users, and a few comparisons never are', async () => {
  await addPeople({}, { first: LONG_USERS + 1, last: LONG_USERS + USERS });

  expect(await search(MANY)).toMatchObject(REFUSED);
  expect(await search(20)).toMatchObject({ status: 200, body: { totalResults: 0 } });
});

test('a search that looks at more than 100,000 resources is refused, also by cursor', async () => {
  await addPeople({}, { first: LONG_USERS + USERS + 1, last: 100_100 });
  const filter = 'title eq "nobody"';
  const search = (query: JsonObject) => bridge.request('POST', '/Users/.search', query);

  const byCursor = { filter, cursor: '' };
  for (const query of [{ filter }, byCursor, { sortBy: 'title' }, { sortBy: 'title', cursor: '' }])
    expect(await search(query)).toMatchObject({ status: 400, body: { scimType: 'tooMany' } });
  expect((await search({ filter: `userName eq "person7"` })).status).toBe(200);
});

/** Inserts a row for each number. A column is a value or made of `n`; undefined: the database gives it. */
async function insertMany(
  tx: Db,
  table: string,
  row: object,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const columns = Object.entries(row).filter(([, value]) => value !== undefined);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([, value]) => value));
  await sql`
    insert into ${sql.table(table)} (${names})
    with recursive numbers(n) as (
      select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
    select ${values} from numbers`.execute(tx);
}
