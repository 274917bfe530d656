import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, addUsers, listResources, send, toPatch } from '../support/provider.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const WMG = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';
const home = { value: 'b, "c"] [d@example.com', type: 'home' };
const work = { value: 'ada@example.com', type: 'work', primary: true };

let bridge: TestBridge;
let ada: string;
let people: string[];
let staff: string;

beforeAll(async () => {
  bridge = await startTestBridge();
  ada = await addUser(bridge, 'ada', { emails: [work, home], title: 'Pilot' });
  people = await addUsers(bridge, 3);
  staff = await addGroup(bridge, 'Staff', [ada, ...people]);
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

describe('a name with a filter', () => {
  const cases: readonly (readonly [string, JsonObject])[] = [
    ['emails[type eq "home"]', { emails: [home] }],
    ['emails[type eq "home"].value', { emails: [{ value: home.value }] }],
    ['Emails[Type eq "HOME"].Value,title', { emails: [{ value: home.value }], title: 'Pilot' }],
    [`${USER}:emails[type eq "home"].type`, { emails: [{ type: 'home' }] }],
    [
      `emails[value eq ${JSON.stringify(home.value)}].type,title`,
      { emails: [{ type: 'home' }], title: 'Pilot' },
    ],
    [
      'emails[type eq "home"].type,emails[type eq "work"].value',
      { emails: [{ value: work.value }, { type: 'home' }] },
    ],
    ['emails[type eq "home"],emails.value', { emails: [{ value: work.value }, home] }],
    ['emails[type eq "fax"]', {}],
    ['emails[nonsense ne "x"].type', { emails: [{ type: 'work' }, { type: 'home' }] }],
    ['nonsense[type eq "x"],title', { title: 'Pilot' }],
  ];

  test.each(cases)('chooses the values that it fits: %s', async (attributes, want) => {
    expect(await read(`/Users/${ada}`, { attributes })).toEqual(want);
    const filter = `id eq "${ada}"`;
    const [found] = listResources(
      await send(bridge, 'POST', '/.search', { filter, attributes: [attributes] }),
    );
    expect(found).toMatchObject(want);
  });

  test('leaves out the values that it fits', async () => {
    const excluded = { excludedAttributes: 'emails[type eq "home"]' };
    expect(await read(`/Users/${ada}`, excluded)).toMatchObject({ emails: [work], title: 'Pilot' });
    const parts = {
      excludedAttributes: 'emails[type eq "home"].value,emails[type eq "work"].primary',
    };
    expect(await read(`/Users/${ada}`, parts)).toMatchObject({
      emails: [{ value: work.value, type: 'work' }, { type: 'home' }],
    });
  });

  test.each(['emails[type eq', 'emails[type eq "work"]value', 'emails[type]', 'emails[]'])(
    'is refused where it cannot be read: %s',
    async (attributes) => {
      const query = new URLSearchParams({ attributes });
      expect((await bridge.request('GET', `/Users/${ada}?${query}`)).status).toBe(400);
    },
  );

  test('is refused where it would compare too much', async () => {
    const filter = Array.from({ length: 21 }, (_, index) => `value eq "${index}"`).join(' or ');
    const query = new URLSearchParams({ attributes: `emails[${filter}]` });
    const answer = await bridge.request('GET', `/Users/${ada}?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  });
});

describe('members of a group', () => {
  const first = () => people[0] ?? '';
  const entry = (id: string, display: string) => ({
    value: id,
    $ref: `${bridge.baseUrl}/Users/${id}`,
    display,
    type: 'User',
  });

  test('by their ids are those alone', async () => {
    const attributes = `members[value eq "${first()}"]`;
    expect(await read(`/Groups/${staff}`, { attributes })).toEqual({
      members: [entry(first(), 'person1@example.com')],
    });
    const two = `members[value eq "${first()}" or value eq "${ada}"].value,displayName`;
    expect(await read(`/Groups/${staff}`, { attributes: two })).toEqual({
      displayName: 'Staff',
      members: [{ value: ada }, { value: first() }],
    });
    const nobody = 'members[value eq "nobody"]';
    expect(await read(`/Groups/${staff}`, { attributes: nobody })).toEqual({});
  });

  test('by another filter are those that it fits', async () => {
    const attributes = 'members[display sw "ADA"]';
    expect(await read(`/Groups/${staff}`, { attributes })).toEqual({
      members: [entry(ada, 'ada@example.com')],
    });
    const rest = await read(`/Groups/${staff}`, { excludedAttributes: attributes });
    expect(rest.members).toHaveLength(people.length);
    const own = await read(`/Groups/${staff}`, {
      attributes: `${WMG}:admins[value eq "${ada}"].value`,
    });
    expect(own).toEqual({ [WMG]: { admins: [{ value: ada }] } });
  });

  test('are in a list as they are alone', async () => {
    const empty = await addGroup(bridge, 'Empty');
    const alone = [
      (await send(bridge, 'GET', `/Groups/${staff}`)).body,
      (await send(bridge, 'GET', `/Groups/${empty}`)).body,
    ];
    expect(alone[1]).toMatchObject({ members: [] });
    expect(listResources(await send(bridge, 'GET', '/Groups'))).toEqual(alone);
    for (const attributes of [
      'members.value',
      'members',
      'displayName',
      'members[type eq "User"].display',
    ]) {
      const query = new URLSearchParams({ attributes });
      const found = listResources(await send(bridge, 'GET', `/Groups?${query}`));
      const each = [];
      for (const id of [staff, empty])
        each.push((await send(bridge, 'GET', `/Groups/${id}?${query}`)).body);
      expect(found).toEqual(each);
    }
  });
});

describe('a search of everything', () => {
  test('is in one order where it asks for one', async () => {
    const zoe = await addUser(bridge, 'zoe', { displayName: 'Zoe' });
    const alpha = await addGroup(bridge, 'Alpha');
    const mia = await addUser(bridge, 'mia', { displayName: 'mia' });
    const filter = [zoe, alpha, mia, staff].map((id) => `id eq "${id}"`).join(' or ');
    const order = async (query: Record<string, string | number>) =>
      listResources(await send(bridge, 'POST', '/.search', { filter, ...query })).map(
        ({ id }) => id,
      );

    expect(await order({ sortBy: 'displayName' })).toEqual([alpha, mia, staff, zoe]);
    expect(await order({ sortBy: 'displayName', sortOrder: 'descending' })).toEqual([
      zoe,
      staff,
      mia,
      alpha,
    ]);
    expect(await order({ sortBy: 'meta.created' })).toEqual([staff, zoe, alpha, mia]);
    expect(await order({ sortBy: 'displayName', startIndex: 2, count: 2 })).toEqual([mia, staff]);
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
