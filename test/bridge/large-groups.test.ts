import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userId } from '../../src/domain/ids.ts';
import { chunks } from '../../src/store/engine/dialect.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, listResources, send, toPatch } from '../support/provider.ts';
import { logStatements, type StatementLog } from '../support/statements.ts';

/** Members whose text is several times what an answer may hold back before it begins. */
const MEMBERS = 25_000;

let bridge: TestBridge;
let log: StatementLog;
let group: string;
let ids: readonly string[];

beforeAll(async () => {
  bridge = await startTestBridge({
    toStore(store) {
      const logged = logStatements(store);
      log = logged.log;
      return logged.store;
    },
  });
  const first = await addUser(bridge, 'ada');
  group = await addGroup(bridge, 'Everybody', [first]);
  ids = [first, ...(await addMembers(bridge))];
});

afterAll(() => bridge.stop());

/** Puts members like the first one into the store, and gives their SCIM ids in order of joining. */
async function addMembers({ store }: TestBridge): Promise<string[]> {
  return store.write(async (tx) => {
    const { seq: _, ...user } = await tx
      .selectFrom('users')
      .selectAll()
      .where('user_name', '=', 'ada@example.com')
      .executeTakeFirstOrThrow();
    const { seq: __, ...link } = await tx
      .selectFrom('memberships')
      .selectAll()
      .executeTakeFirstOrThrow();
    const users = Array.from({ length: MEMBERS - 1 }, (___, index) => ({
      ...user,
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` as typeof user.id,
      user_name: `person${index}`,
      user_name_folded: `person${index}`,
      upstream_id: 1_000_000 + index,
    }));
    for (const some of chunks(users, 200)) {
      await tx.insertInto('users').values(some).execute();
      const links = some.map(({ id }) => ({ ...link, user_id: id }));
      await tx.insertInto('memberships').values(links).execute();
    }
    return users.map(({ id }) => id);
  });
}

function listMemberIds(body: { members?: unknown }): unknown[] {
  const members = Array.isArray(body.members) ? body.members : [];
  return members.map(({ value }: { value: unknown }) => value);
}

test('a group of any size is answered while it is read, and completely', async () => {
  for (const query of ['', '?attributes=members', '?attributes=members.value']) {
    const answer = await send(bridge, 'GET', `/Groups/${group}${query}`);

    expect(answer.headers['content-length']).toBeUndefined();
    expect(listMemberIds(answer.body)).toEqual(ids);
    expect(answer.body.id).toBe(group);
  }
});

test('in lists and searches it is answered as alone', async () => {
  const alone = (await send(bridge, 'GET', `/Groups/${group}`)).body;
  const small = await addGroup(bridge, 'Small', [ids[0] ?? '']);
  const other = (await send(bridge, 'GET', `/Groups/${small}`)).body;

  expect(listResources(await send(bridge, 'GET', '/Groups'))).toEqual([alone, other]);
  const search = {
    sortBy: 'displayName',
    filter: 'displayName pr and meta.resourceType eq "Group"',
  };
  expect(listResources(await send(bridge, 'POST', '/.search', search))).toEqual([alone, other]);
});

test('each of its members is found by a filter, wherever it is in the list', async () => {
  for (const [name, found] of [
    ['person0', [group]],
    [`person${MEMBERS - 2}`, [group]],
    ['nobody', []],
  ] as const) {
    const query = new URLSearchParams({ filter: `members[display eq "${name}"]` });
    const answer = await send(bridge, 'GET', `/Groups?${query}&attributes=displayName`);
    expect(listResources(answer).map(({ id }) => id)).toEqual(found);
  }
});

test('members who are gone end no list, however many follow one another', async () => {
  const { store } = bridge;
  const gone = ids.slice(10, 7_000);
  const setWanted = (desired: 0 | 1) =>
    store.write(async (tx) => {
      for (const some of chunks(gone)) {
        const links = tx.updateTable('memberships').where('user_id', 'in', some.map(userId));
        await links.set({ desired }).execute();
      }
    });
  await setWanted(0);
  const left = ids.filter((_, index) => index < 10 || index >= 7_000);

  const whole = await send(bridge, 'GET', `/Groups/${group}`);
  const last = new URLSearchParams({ filter: `members[display eq "person${MEMBERS - 2}"]` });
  const found = await send(bridge, 'GET', `/Groups?${last}&attributes=displayName`);
  await setWanted(1);

  expect(listMemberIds(whole.body)).toEqual(left);
  expect(listResources(found).map(({ id }) => id)).toEqual([group]);
});

test('a removal by filters looks at each member once, in pieces, wherever it is in the list', async () => {
  const where = (filter: string) => ({ op: 'remove', path: `members[${filter}]` });
  log.reset();

  const answer = await bridge.request(
    'PATCH',
    `/Groups/${group}`,
    toPatch(where('display eq "nobody"'), where('display sw "no"'), where('display eq "none"')),
  );

  expect(answer.status).toBeLessThan(300);
  const looks = log.writes.flat().filter((sql) => sql.includes('m.group_id as owner'));
  expect(looks).toHaveLength(Math.floor(MEMBERS / 5_000) + 1);
});

test('HEAD answers without the members', async () => {
  const answer = await bridge.request('HEAD', `/Groups/${group}`);

  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(answer.headers.etag).toMatch(/^W\//);
});

test('a reader who leaves in the middle leaves nothing behind', async () => {
  const headers = { authorization: `Bearer ${bridge.token}` };
  await new Promise<void>((resolve, reject) => {
    const request = get(`${bridge.baseUrl}/Groups/${group}`, { headers }, (answer) => {
      answer.once('data', () => {
        request.destroy();
        resolve();
      });
    });
    request.once('error', reject);
  });

  expect(listMemberIds((await send(bridge, 'GET', `/Groups/${group}`)).body)).toHaveLength(MEMBERS);
});
