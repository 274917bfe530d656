import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import { sendRaw } from '../support/send-raw.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const bridge = forSuite(() =>
  startTestBridge({
    settings: { SCIM_REQUESTS_PER_SECOND: '0' },
  }),
);
let ada: string;
let people: string[];

beforeAll(async () => {
  ada = await bridge.addUser('ada', { title: 'Pilot', externalId: 'e-1' });
  people = await bridge.addUsers(3);
});

/** A value, and what is kept of it; undefined: nothing, so that it is refused. */
const values: readonly (readonly [string, JsonValue, JsonValue | undefined])[] = [
  ['title', ['a', 'b'], undefined],
  ['title', { first: 'X' }, undefined],
  ['title', ['X'], 'X'],
  ['title', { title: 'X' }, 'X'],
  ['title', { value: 'X' }, 'X'],
  ['externalId', ['x', 'y'], undefined],
  ['name', { givenName: { first: 'A' } }, undefined],
  ['name', 'Ada B', { formatted: 'Ada B' }],
  ['nickName', [{ a: 1 }], undefined],
  ['roles', [{ value: { a: 1 } }], undefined],
  ['roles', [{ shoeSize: 1 }], undefined],
  [ENTERPRISE, { manager: { id: 'x' } }, undefined],
  [ENTERPRISE, { manager: { value: 'x' } }, { manager: { value: 'x' } }],
];

describe('one value is taken out of what stands around it, and what is none is refused', () => {
  test.each(values)('%s: %j', async (name, value, want) => {
    const before = (await bridge.send('GET', `/Users/${ada}`)).body;
    const patches = [
      toPatch(replace(name, value)),
      toPatch({ op: 'add', path: name, value }),
      toPatch({ op: 'replace', value: { [name]: value } }),
    ];
    const requests = [
      ...patches.map((body) => ({ method: 'PATCH', path: `/Users/${ada}`, body })),
      { method: 'PUT', path: `/Users/${ada}`, body: { ...toUser('ada'), [name]: value } },
      { method: 'POST', path: '/Users', body: { ...toUser('new'), [name]: value } },
    ];
    for (const { method, path, body } of requests) {
      const answer = await bridge.request(method, path, body);
      if (want === undefined) {
        expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
        expect((await bridge.send('GET', `/Users/${ada}`)).body).toEqual(before);
      } else {
        expect(answer.status).toBe(method === 'POST' ? 201 : 200);
        expect(answer.body).toMatchObject({ [name]: want });
        if (method === 'POST') await bridge.send('DELETE', `/Users/${answer.body.id}`);
      }
    }
  });
});

test('schemas are none of what a PATCH changes', async () => {
  const { body: before } = await bridge.send('GET', `/Users/${ada}`);
  const patch = toPatch(replace('schemas', ['urn:x']));
  expect((await bridge.send('PATCH', `/Users/${ada}`, patch)).body).toEqual(before);
});

test('a filter that is blank finds nobody', async () => {
  for (const path of ['/Users?filter=', '/Groups?filter=%20', '/?filter=', '/Roles?filter=']) {
    const answer = await bridge.request('GET', path);
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  }
  for (const path of ['/Users/.search', '/Groups/.search', '/.search']) {
    const answer = await bridge.request('POST', path, { filter: '' });
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  }
});

describe('bodies of JSON', () => {
  const types = [
    'application/json+scim',
    'text/json',
    'application/scim+json; charset=utf-8',
    'application/vnd.api+json',
    '',
  ];
  test.each(types)('as %j', async (type) => {
    const body = JSON.stringify(toPatch(replace('title', type || 'none')));
    const answer = await sendRaw(bridge, {
      ...{ method: 'PATCH', path: `/Users/${ada}`, body },
      headers: { 'content-type': type === '' ? undefined : type },
    });
    expect(answer).toMatchObject({ status: 200, body: { title: type || 'none' } });
  });

  test.each(['text/plain', 'application/xml', 'application/jsonp'])('not as %s', async (type) => {
    const answer = await bridge.request('POST', '/Users', toUser('x'), { 'content-type': type });
    expect(answer.status).toBe(415);
  });
});

test('an address alone names a member', async () => {
  const id = await bridge.addGroup('By address');
  const members: JsonObject[] = people.map((one) => ({ $ref: `${bridge.baseUrl}/Users/${one}` }));
  await bridge.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: members });
  expect(await bridge.readMemberIds(id)).toEqual(people.toSorted());
});

test('a resource says where it is', async () => {
  const group = await bridge.addGroup('Somewhere');
  for (const path of [`/Users/${ada}`, `/Groups/${group}`]) {
    const read = await bridge.send('GET', path);
    expect(read.headers['content-location']).toBe(Object(read.body.meta).location);
    const written = await bridge.send('PUT', path, read.body);
    expect(written.headers['content-location']).toBe(Object(read.body.meta).location);
  }
  const made = await bridge.send('POST', '/Users', toUser('where'));
  expect(made.headers.location).toBe(Object(made.body.meta).location);
});

test('totalResults is told of every list, by cursor and by number', async () => {
  for (const filter of ['title pr', 'userName sw "person"', 'active eq true']) {
    const query = (more: Record<string, string>) =>
      `/Users?${new URLSearchParams({ filter, count: '1', ...more })}`;
    const byNumber = await bridge.send('GET', query({}));
    const byCursor = await bridge.send('GET', query({ cursor: '' }));
    const { totalResults } = byNumber.body;
    expect(byCursor.body.totalResults).toBe(totalResults);
    const cursor = byCursor.body.nextCursor;
    if (cursor === undefined) continue;
    const next = await bridge.send('GET', query({ cursor: String(cursor) }));
    expect(next.body.totalResults).toBe(totalResults);
  }
});
