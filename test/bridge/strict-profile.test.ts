import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, toGroup, toPatch, toUser } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

let bridge: TestBridge;
let ada: string;
let pilots: string;
let strict: string;

beforeAll(async () => {
  bridge = await startTestBridge({ settings: SWEEP_SETTINGS });
  ada = await addUser(bridge, 'ada', { title: 'Pilot' });
  pilots = await addGroup(bridge, 'Pilots', [ada]);
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
    ['no schemas', { schemas: [] }, 'invalidSyntax'],
    ['a boolean as a text', { active: 'True' }, 'invalidValue'],
    ['a number as a text', { title: 5 }, 'invalidValue'],
    ['a list around a value', { title: ['Pilot'] }, 'invalidValue'],
    ['an empty text', { title: '' }, 'invalidValue'],
    ['one value for a list', { emails: { value: 'bob@example.com' } }, 'invalidValue'],
    ['a dotted name', { 'name.givenName': 'Bob' }, 'invalidSyntax'],
    ['an attribute of an extension beside it', { department: 'R&D' }, 'invalidSyntax'],
    ['a name with its schema', { [`${ENTERPRISE}:department`]: 'R&D' }, 'invalidSyntax'],
    ['the schema of an extension alone', { schemas: [ENTERPRISE] }, 'invalidSyntax'],
    ['one name twice', { TITLE: 'Pilot', title: 'Captain' }, 'invalidSyntax'],
    ['a binary value that is none', { x509Certificates: [{ value: 'a b' }] }, 'invalidValue'],
    ['a binary value cut short', { x509Certificates: [{ value: 'abcde' }] }, 'invalidValue'],
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
    ['op in another case', { op: 'Replace', path: 'title', value: 'x' }, 'invalidSyntax'],
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
    ['a text without quotes', { op: 'remove', path: 'emails[type eq home]' }, 'invalidFilter'],
    [
      'a removal by value',
      { op: 'remove', path: 'emails', value: [{ value: 'x' }] },
      'invalidSyntax',
    ],
    ['an unknown path', { op: 'add', path: 'shoeSize', value: '1' }, 'invalidPath'],
    [
      'an attribute of an extension without its schema',
      { op: 'add', path: 'department', value: 'R&D' },
      'invalidPath',
    ],
    [
      'a dot between a schema and its attribute',
      { op: 'add', path: `${ENTERPRISE}.department`, value: 'R&D' },
      'invalidPath',
    ],
    [
      'a filter that no value fits',
      { op: 'replace', path: 'emails[type eq "other"].value', value: 'a@example.com' },
      'noTarget',
    ],
    [
      'a value beside a filter',
      { op: 'remove', path: 'emails[type eq "home"]', value: [{ value: 'x' }] },
      'invalidSyntax',
    ],
  ];

  test.each(cases)('%s', async (_, operation, scimType) => {
    expectRefused(await askStrictly('PATCH', `/Users/${ada}`, toPatch(operation)), scimType);
  });

  test('a list of members as a removal of them', async () => {
    const operation = { op: 'remove', path: 'members', value: [{ value: ada }] };
    expectRefused(
      await askStrictly('PATCH', `/Groups/${pilots}`, toPatch(operation)),
      'invalidSyntax',
    );
  });
});

describe('the strict profile refuses in a filter', () => {
  test.each([
    'shoeSize eq 42',
    'shoeSize pr',
    `${ENTERPRISE}:emplyeeNumber eq "1"`,
    'emails[shoeSize eq "1"]',
    'userName eq ada@example.com',
    'displayName eq Ada Example',
    'userName eq "CORP\\ada"',
    'meta.lastModified gt "2026-03-01T12:00:00+0100"',
    'active eq "True"',
    'active eq True',
    'not active eq true',
    'title eq 5',
    'department eq "R&D"',
    `${ENTERPRISE}.department eq "R&D"`,
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

test('the strict profile refuses a search and a bulk request without their schema', async () => {
  const operation = { method: 'DELETE', path: '/Users/nobody' };
  for (const schemas of [{}, { schemas: [] }, { schemas: [ENTERPRISE] }]) {
    expectRefused(await askStrictly('POST', '/Users/.search', schemas), 'invalidSyntax');
    expectRefused(await askStrictly('POST', '/.search', schemas), 'invalidSyntax');
    const bulk = { ...schemas, Operations: [operation] };
    expectRefused(await askStrictly('POST', '/Bulk', bulk), 'invalidSyntax');
  }
  const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], count: 1 };
  expect((await askStrictly('POST', '/Users/.search', search)).status).toBe(200);
  const bulk = { schemas: [BULK], Operations: [operation] };
  expect((await askStrictly('POST', '/Bulk', bulk)).status).toBe(200);
});

test('the strict profile refuses the bare operations of a PATCH in a bulk request', async () => {
  const data = [{ op: 'replace', path: 'title', value: 'Captain' }];
  const bulk = { schemas: [BULK], Operations: [{ method: 'PATCH', path: `/Users/${ada}`, data }] };

  const { body } = await askStrictly('POST', '/Bulk', bulk);

  const response = expect.objectContaining({ scimType: 'invalidSyntax' });
  expect(body.Operations).toMatchObject([{ status: '400', response }]);
  expect((await bridge.request('GET', `/Users/${ada}`)).body).toMatchObject({ title: 'Pilot' });
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
