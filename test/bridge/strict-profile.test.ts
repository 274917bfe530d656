import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, toGroup, toPatch, toUser } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

let bridge: TestBridge;
let ada: string;
let strict: string;

beforeAll(async () => {
  bridge = await startTestBridge({ settings: SWEEP_SETTINGS });
  ada = await addUser(bridge, 'ada', { title: 'Pilot' });
  await addGroup(bridge, 'Pilots', [ada]);
  const made = await askOps(bridge, 'POST', '/tokens', { name: 'letter', profile: 'strict' });
  expect(made.body).toMatchObject({ profile: 'strict' });
  strict = String(made.body.token);
});

afterAll(() => bridge.stop());

function askStrictly(method: string, path: string, body?: JsonValue) {
  return bridge.request(method, path, body, { authorization: `Bearer ${strict}` });
}

function expectRefused({ status, body }: { status: number; body: JsonObject }, scimType: string) {
  expect({ status, scimType: body.scimType }).toEqual({ status: 400, scimType });
}

describe('the strict profile refuses in a resource', () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ['an unknown attribute', { shoeSize: 42 }, 'invalidSyntax'],
    ['an unknown part', { name: { givenName: 'Bob', shoeSize: 42 } }, 'invalidSyntax'],
    [
      'an unknown attribute of an extension',
      { [ENTERPRISE]: { emplyeeNumber: '1' } },
      'invalidSyntax',
    ],
    ['an unknown extension', { 'urn:example:x:2.0:User': { a: 1 } }, 'invalidSyntax'],
    ['an unknown schema', { schemas: ['urn:example:x'] }, 'invalidSyntax'],
    ['one value for a list', { emails: { value: 'bob@example.com' } }, 'invalidValue'],
    ['a text for an object', { name: 'Bob' }, 'invalidValue'],
  ];

  test.each(cases)('%s, which the lenient one takes', async (why, change, scimType) => {
    const name = why.replaceAll(' ', '-');
    expectRefused(await askStrictly('POST', '/Users', toUser(name, change)), scimType);
    const bulk = {
      schemas: [BULK],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'b', data: toUser(name, change) }],
    };
    const [result] = [(await askStrictly('POST', '/Bulk', bulk)).body.Operations].flat();
    expect(result).toMatchObject({ status: '400', response: { scimType } });
    expect((await bridge.request('POST', '/Users', toUser(name, change))).status).toBe(201);
  });
});

describe('the strict profile refuses in a PATCH', () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    [
      'an unknown extension attribute',
      { op: 'add', path: `${ENTERPRISE}:emplyeeNumber`, value: '1' },
      'invalidSyntax',
    ],
    ['an unknown part of the value', { op: 'add', value: { shoeSize: 42 } }, 'invalidSyntax'],
    [
      'an unknown attribute in the filter',
      { op: 'remove', path: 'emails[shoeSize eq "1"]' },
      'invalidFilter',
    ],
    ['an unknown path', { op: 'add', path: 'shoeSize', value: '1' }, 'invalidSyntax'],
  ];

  test.each(cases)('%s', async (_, operation, scimType) => {
    expectRefused(await askStrictly('PATCH', `/Users/${ada}`, toPatch(operation)), scimType);
  });
});

test('a PATCH by the strict profile: a path in each operation, a filter that finds one value, and replace as a whole', async () => {
  const eve = await addUser(bridge, 'eve', {
    phoneNumbers: [
      { value: '1', type: 'work' },
      { value: '2', type: 'work' },
    ],
  });
  const path = `/Users/${eve}`;
  const patch = (operation: JsonObject) => askStrictly('PATCH', path, toPatch(operation));
  const several = { op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: '3' };
  const whole = { op: 'replace', path: 'phoneNumbers[value eq "1"]', value: { value: '3' } };

  expectRefused(await patch({ op: 'replace', value: { title: 'x' } }), 'invalidSyntax');
  expectRefused(await patch(several), 'invalidFilter');
  expectRefused(await patch(whole), 'invalidPath');
  const replaced = await patch({ op: 'replace', path: 'name', value: { familyName: 'E' } });
  expect(replaced.body.name).toEqual({ familyName: 'E' });
  const added = await patch({ op: 'add', path: 'name', value: { givenName: 'Eve' } });
  expect(added.body.name).toEqual({ familyName: 'E', givenName: 'Eve' });
  const config = await askStrictly('GET', '/ServiceProviderConfig');
  expect(config.body).toMatchObject({ interopProfileConformant: true });
  const lenient = await bridge.request('GET', '/ServiceProviderConfig');
  expect(lenient.body).not.toHaveProperty('interopProfileConformant');
  expect((await bridge.request('PATCH', path, toPatch(several))).status).toBe(200);
});

describe('the strict profile refuses in a filter', () => {
  test.each([
    'shoeSize eq 42',
    'shoeSize pr',
    `${ENTERPRISE}:emplyeeNumber eq "1"`,
    'emails[shoeSize eq "1"]',
    'schemas[value eq "x"]',
  ])('%s, which the lenient one answers', async (filter) => {
    const path = `/Users?${new URLSearchParams({ filter })}`;
    expectRefused(await askStrictly('GET', path), 'invalidFilter');
    expect((await bridge.request('GET', path)).status).toBe(200);
  });
});

test('a search of all types may name what one of them has, and no name that neither has', async () => {
  for (const filter of [
    `members.value eq "${ada}" or userName eq "ada@example.com"`,
    `members[value eq "${ada}"] or emails[value eq "ada@example.com"]`,
  ]) {
    const found = await askStrictly('GET', `/?${new URLSearchParams({ filter })}`);
    expect(found).toMatchObject({ status: 200, body: { totalResults: 2 } });
  }
  for (const filter of ['shoeSize pr', 'members[shoeSize pr]', 'userName pr or shoeSize pr']) {
    const refused = await askStrictly('GET', `/?${new URLSearchParams({ filter })}`);
    expectRefused(refused, 'invalidFilter');
  }
});

test('the strict profile repairs what the interoperability profile does not have refused', async () => {
  const sent = {
    ...toUser('dora', { active: 'True', title: 5, department: 'R&D', nickName: '' }),
    ...{ schemas: [], 'name.familyName': 'Example', TITLE: ['Captain'] },
  };
  const created = await askStrictly('POST', '/Users', sent);
  expect(created).toMatchObject({
    status: 201,
    body: { active: true, title: 'Captain', [ENTERPRISE]: { department: 'R&D' } },
  });
  const path = `/Users/${created.body.id}`;
  const patch = toPatch(
    { op: 'Replace', path: 'department', value: ['Sales'] },
    { op: 'remove', path: 'emails', value: [{ value: 'x' }] },
    { op: 'replace', path: 'emails[type eq other].value', value: 'dora@example.com' },
  );
  expect(await askStrictly('PATCH', path, patch)).toMatchObject({
    status: 200,
    body: { [ENTERPRISE]: { department: 'Sales' } },
  });
  const query = new URLSearchParams({
    filter: 'userName eq dora@example.com and active eq "True"',
  });
  expect((await askStrictly('GET', `/Users?${query}`)).body).toMatchObject({ totalResults: 1 });
  const bulk = { Operations: [{ method: 'DELETE', path: '/Users/nobody' }] };
  expect((await askStrictly('POST', '/Bulk', bulk)).status).toBe(200);
  expect((await askStrictly('POST', '/Users/.search', {})).status).toBe(200);
});

test('the strict profile takes what the standard allows', async () => {
  const sent = {
    ...toUser('carl'),
    id: 'x',
    meta: { resourceType: 'User' },
    groups: [],
    password: 'x',
    title: null,
    active: null,
    nickName: 'B',
  };
  const created = await askStrictly('POST', '/Users', sent);
  expect(created).toMatchObject({ status: 201, body: { active: true } });
  const path = `/Users/${created.body.id}`;
  const inactive = toPatch({ op: 'replace', path: 'active', value: false });
  expect((await askStrictly('PATCH', path, inactive)).status).toBe(200);
  expect(await askStrictly('PUT', path, { ...created.body, active: null })).toMatchObject({
    status: 200,
    body: { active: false },
  });
  expect((await askStrictly('PUT', path, created.body)).status).toBe(200);
  const patch = toPatch(
    { op: 'replace', path: 'URN:ietf:params:scim:schemas:core:2.0:User:TITLE', value: 'Pilot' },
    { op: 'remove', path: 'nickName' },
    { op: 'add', path: 'emails[type eq "work"].display', value: 'Work' },
  );
  expect((await askStrictly('PATCH', path, patch)).status).toBe(200);
  const group = await askStrictly('POST', '/Groups', toGroup('Strict', [String(created.body.id)]));
  expect(group.status).toBe(201);
  const filter = 'active eq true and not (title eq "x") and emails[type eq "work"]';
  expect((await askStrictly('GET', `/?${new URLSearchParams({ filter })}`)).status).toBe(200);
  expect((await askStrictly('GET', `/Users?${new URLSearchParams({ filter })}`)).status).toBe(200);
});

test('an OAuth client has a profile too, and credentials show theirs', async () => {
  const made = await askOps(bridge, 'POST', '/clients', { name: 'oauth', profile: 'strict' });
  expect(made.body).toMatchObject({ profile: 'strict' });
  const answer = await fetch(new URL('/oauth/token', bridge.baseUrl), {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${made.body.id}:${made.body.secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = Object(await answer.json());
  const refused = await bridge.request('GET', '/Users?filter=shoeSize%20pr', undefined, {
    authorization: `Bearer ${token}`,
  });
  expectRefused(refused, 'invalidFilter');
  const { body } = await askOps(bridge, 'GET', '/tokens');
  expect(body.items).toMatchObject([{ name: 'letter', profile: 'strict' }]);
  const lenient = await askOps(bridge, 'POST', '/tokens', { name: 'usual' });
  expect(lenient.body).toMatchObject({ profile: 'lenient' });
  const wrong = await askOps(bridge, 'POST', '/tokens', { name: 'other', profile: 'loose' });
  expect(wrong.status).toBe(400);
});
