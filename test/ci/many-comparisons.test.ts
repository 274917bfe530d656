import sql, { join, raw } from 'sql-template-tag';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { execute } from '../../src/store/engine/dialect.ts';
import { bridgeForSuite } from '../support/bridge.ts';

const MANY = 400;
const USERS = 60_000;
const LONG_USERS = 300;
const LONG_TEXT = 'x'.repeat(250_000);

const bridge = bridgeForSuite();

beforeAll(async () => {
  await bridge.addUser('ada');
});

/** The user as the database has it, with JSON as text. */
async function readUser(): Promise<{ readonly attributes: string }> {
  const { rows } = await bridge.store.read.run<never>(sql`select * from resources limit 1`);
  return rows[0] ?? { attributes: '{}' };
}

/** Adds a user for each number. */
async function addPeople(change: object, { first, last }: { first: number; last: number }) {
  const name = sql`'person' || cast(n as text)`;
  const own = { id: name, name, name_folded: name, upstream_id: sql`2000000 + n` };
  const { seq: _, ...row } = { seq: 0, ...(await readUser()), ...own, ...change };
  await bridge.store.write(
    (tx) => execute(tx)`
      insert into resources (${raw(Object.keys(row).join())})
      with recursive numbers(n) as (
        select ${raw(String(first))} union all select n + 1 from numbers where n < ${raw(String(last))})
      select ${join(Object.values(row))} from numbers`,
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
  const { attributes: short } = await readUser();
  const attributes = JSON.stringify({ ...JSON.parse(short), title: LONG_TEXT });
  await addPeople({ attributes }, { first: 1, last: LONG_USERS });

  expect(await search(MANY)).toMatchObject(REFUSED);
  expect(await search(20)).toMatchObject({ status: 200, body: { totalResults: 0 } });
  // Nobody else has to read them.
  await bridge.store.write(
    (tx) => execute(tx)`update resources set attributes = ${short} where id like 'person%'`,
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
