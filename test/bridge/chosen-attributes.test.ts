import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, addUsers, listResources, send, toPatch } from '../support/provider.ts';

const WMG = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';
const home = { value: 'b, "c"] [d@example.com', type: 'home' };
const work = { value: 'ada@example.com', type: 'work', primary: true };

let bridge: TestBridge;
let ada: string;
let staff: string;

beforeAll(async () => {
  bridge = await startTestBridge();
  ada = await addUser(bridge, 'ada', { emails: [work, home], title: 'Pilot' });
  staff = await addGroup(bridge, 'Staff', [ada, ...(await addUsers(bridge, 3))]);
  const add = toPatch({ op: 'add', path: `${WMG}:admins`, value: [{ value: ada }] });
  await send(bridge, 'PATCH', `/Groups/${staff}`, add);
});

afterAll(() => bridge.stop());

async function read(path: string, query: Record<string, string>): Promise<JsonObject> {
  const {
    schemas: _,
    id: __,
    ...rest
  } = (await send(bridge, 'GET', `${path}?${new URLSearchParams(query)}`)).body;
  return rest;
}

test('a name with a filter is one that no schema has', async () => {
  const attributes = 'emails[type eq "home"].value,title';
  expect(await read(`/Users/${ada}`, { attributes })).toEqual({ title: 'Pilot' });
  expect(await read(`/Users/${ada}`, { excludedAttributes: attributes })).toMatchObject({
    emails: [work, home],
  });
});

test('the members of a group are in a list as they are alone', async () => {
  const empty = await addGroup(bridge, 'Empty');
  const alone = [
    (await send(bridge, 'GET', `/Groups/${staff}`)).body,
    (await send(bridge, 'GET', `/Groups/${empty}`)).body,
  ];
  expect(alone[1]).toMatchObject({ members: [] });
  expect(listResources(await send(bridge, 'GET', '/Groups'))).toEqual(alone);
  for (const attributes of ['members.value', 'members', 'displayName']) {
    const query = new URLSearchParams({ attributes });
    const found = listResources(await send(bridge, 'GET', `/Groups?${query}`));
    const each = [];
    for (const id of [staff, empty])
      each.push((await send(bridge, 'GET', `/Groups/${id}?${query}`)).body);
    expect(found).toEqual(each);
  }
});

describe('a search of everything', () => {
  test('is in the order that it asks for, users before groups', async () => {
    const zoe = await addUser(bridge, 'zoe', { displayName: 'Zoe' });
    const alpha = await addGroup(bridge, 'Alpha');
    const mia = await addUser(bridge, 'mia', { displayName: 'mia' });
    const filter = [zoe, alpha, mia, staff].map((id) => `id eq "${id}"`).join(' or ');
    const order = async (query: Record<string, string | number>) =>
      listResources(await send(bridge, 'POST', '/.search', { filter, ...query })).map(
        ({ id }) => id,
      );

    expect(await order({ sortBy: 'displayName' })).toEqual([mia, zoe, alpha, staff]);
    expect(await order({ sortBy: 'displayName', sortOrder: 'descending' })).toEqual([
      zoe,
      mia,
      staff,
      alpha,
    ]);
    expect(await order({ sortBy: 'displayName', startIndex: 2, count: 2 })).toEqual([zoe, alpha]);
    expect(await order({ sortBy: 'userName' })).toEqual([mia, zoe, staff, alpha]);
    expect(await order({ sortBy: 'displayName', count: 0 })).toEqual([]);
  });

  test('needs no filter', async () => {
    for (const query of ['sortBy=displayName', 'startIndex=1', 'count=100']) {
      const { body } = await send(bridge, 'GET', `/?${query}`);
      expect(body).toHaveProperty('totalResults');
    }
  });
});
