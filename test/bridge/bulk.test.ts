import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import type { TestAnswer } from '../support/provider.ts';
import { admit, dismiss, replace } from '../support/provider.ts';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const bridge = bridgeForSuite();
let names = 0;

afterEach(() => bridge.sandbox.faults.clear());

function sendBulk(operations: JsonValue, more: JsonObject = {}): Promise<TestAnswer> {
  return bridge.request('POST', '/Bulk', { schemas: [BULK], Operations: operations, ...more });
}

function listResults({ body }: TestAnswer): JsonObject[] {
  if (!Array.isArray(body.Operations)) throw new Error(JSON.stringify(body));
  return body.Operations as JsonObject[];
}

function listStatuses(answer: TestAnswer): unknown[] {
  return listResults(answer).map(({ status }) => status);
}

function newName(): string {
  names += 1;
  return `person${names}`;
}

const addPerson = async () =>
  `/Users/${await create('Users', { userName: `${newName()}@example.com` })}`;

function newUser(bulkId: string, more: JsonObject = {}): JsonObject {
  const userName = `${newName()}@example.com`;
  return { method: 'POST', path: '/Users', bulkId, data: { userName, ...more } };
}

function newGroup(bulkId: string, members: readonly string[]): JsonObject {
  const data = { displayName: newName(), members: members.map((value) => ({ value })) };
  return { method: 'POST', path: '/Groups', bulkId, data };
}

function patch(path: string, operation: JsonObject): JsonObject {
  return { method: 'PATCH', path, data: { schemas: [PATCH_OP], Operations: [operation] } };
}

async function readAt(result: JsonObject | undefined): Promise<JsonObject> {
  return (await bridge.request('GET', String(result?.location))).body;
}

async function create(type: 'Users' | 'Groups', body: JsonObject): Promise<string> {
  return String((await bridge.request('POST', `/${type}`, body)).body.id);
}

function listValues(resource: JsonObject): unknown[] {
  return (resource.members as JsonObject[]).map(({ value }) => value);
}

describe('references', () => {
  test('a group holds the people that the same request creates, behind it and before it', async () => {
    const crew = newGroup('g', ['bulkId:a', 'bulkId:b']);
    const answer = await sendBulk([newUser('a'), crew, newUser('b')]);

    expect(answer.status).toBe(200);
    const [a, g, b] = listResults(answer);
    expect(listResults(answer)).toEqual([
      { method: 'POST', bulkId: 'a', location: a?.location, version: a?.version, status: '201' },
      { method: 'POST', bulkId: 'g', location: g?.location, version: 'W/"1"', status: '201' },
      { method: 'POST', bulkId: 'b', location: b?.location, version: b?.version, status: '201' },
    ]);
    const ids = [(await readAt(a)).id, (await readAt(b)).id];
    expect(listValues(await readAt(g)).sort()).toEqual(ids.sort());
    expect(String(a?.location)).toBe(`${bridge.baseUrl}/Users/${(await readAt(a)).id}`);
  });

  test('a path, a value and the filter of a path may name what the request creates', async () => {
    const answer = await sendBulk([
      patch('/Groups/bulkId:g', admit('bulkId:a', 'bulkId:b')),
      patch('/Groups/bulkId:g', dismiss('bulkId:b')),
      newGroup('g', []),
      newUser('a'),
      newUser('b', { [ENTERPRISE]: { manager: { value: 'bulkId:a' } } }),
    ]);

    expect(listStatuses(answer)).toEqual(['200', '200', '201', '201', '201']);
    const [, , g, a, b] = listResults(answer);
    const { id } = await readAt(a);
    expect(listValues(await readAt(g))).toEqual([id]);
    expect((await readAt(b))[ENTERPRISE]).toMatchObject({ manager: { value: id } });
  });

  test('what nobody may write is no reference, so a user may name the group that names the user', async () => {
    const user = newUser('a', { groups: [{ value: 'bulkId:g' }] });
    const answer = await sendBulk([user, newGroup('g', ['bulkId:a'])]);

    expect(listStatuses(answer)).toEqual(['201', '201']);
  });

  const manager = (bulkId: string) => ({
    [ENTERPRISE]: { manager: { value: `bulkId:${bulkId}` }, department: 'Board' },
  });

  test('each of users has the manager whom the same request creates, however it is named', async () => {
    const answer = await sendBulk([
      newUser('below', manager('chief')),
      newUser('b', { manager: 'bulkId:below' }),
      newUser('c', { [`${ENTERPRISE}:manager`]: { value: 'bulkId:b' } }),
      newUser('chief'),
    ]);

    expect(listStatuses(answer)).toEqual(['201', '201', '201', '201']);
    const results = listResults(answer);
    const [below, b, c, chief] = await Promise.all(results.map(readAt));
    const shown = [below, b, c].map((user) => user?.[ENTERPRISE]);
    expect(shown).toEqual([
      { manager: expect.objectContaining({ value: chief?.id }), department: 'Board' },
      { manager: expect.objectContaining({ value: below?.id }) },
      { manager: expect.objectContaining({ value: b?.id }) },
    ]);
    const read = results.map(({ location }) => bridge.request('GET', String(location)));
    const tags = (await Promise.all(read)).map(({ headers }) => headers.etag);
    expect(results.map(({ version }) => version)).toEqual(tags);
  });

  test('a user whose manager cannot be created is refused', async () => {
    const blank = { ...newUser('b'), data: { userName: '' } };
    const answer = await sendBulk([newUser('a', manager('b')), blank]);

    expect(listStatuses(answer)).toEqual(['409', '400']);
  });

  test('only values that are ids are references', async () => {
    const answer = await sendBulk([
      newUser('a', { displayName: 'bulkId:nobody', title: 'bulkId:a' }),
      patch('/Users/bulkId:a', replace('nickName', 'bulkId:nobody')),
    ]);

    expect(listStatuses(answer)).toEqual(['201', '200']);
    const kept = { displayName: 'bulkId:nobody', title: 'bulkId:a', nickName: 'bulkId:nobody' };
    expect(await readAt(listResults(answer)[0])).toMatchObject(kept);
  });

  test('what refers to itself in a circle is refused, and the neighbours are none the worse', async () => {
    const groups = [newGroup('g', ['bulkId:h']), newGroup('h', ['bulkId:g'])];
    const users = [newUser('a', manager('b')), newUser('b', manager('a')), newUser('c')];
    const path = await addPerson();
    const boss = replace(`${ENTERPRISE}:manager`, 'bulkId:a');
    const changes = [patch(path, boss), patch(path, replace('title', 'T'))];
    const answer = await sendBulk([...groups, ...users, ...changes]);

    expect(listStatuses(answer)).toEqual(['409', '409', '409', '409', '201', '409', '200']);
  });

  test('a name that leads nowhere keeps nobody in: the rest of its operation is left out', async () => {
    const [path, other] = [await addPerson(), await addPerson()];
    const member = other.slice('/Users/'.length);
    const group = `/Groups/${await create('Groups', { displayName: newName(), members: [{ value: member }] })}`;
    const boss = replace(`${ENTERPRISE}:manager`, 'bulkId:failed');
    const rest = [boss, replace('title', ['a', 'b']), replace('active', false)];
    const off = { ...patch(path, boss), data: { Operations: rest } };
    const out = {
      ...patch(group, boss),
      data: { Operations: [admit('bulkId:no'), dismiss(member)] },
    };

    const answer = await sendBulk([newUser('failed', { userName: '' }), off, out]);
    expect(listStatuses(answer)).toEqual(['400', '200', '200']);

    expect((await bridge.request('GET', path)).body.active).toBe(false);
    expect((await bridge.request('GET', group)).body.members ?? []).toEqual([]);
  });

  test('a bulkId that no POST has is 400, and the neighbours are none the worse', async () => {
    const answer = await sendBulk([newGroup('g', ['bulkId:nobody']), newUser('a')]);

    expect(listStatuses(answer)).toEqual(['400', '201']);
    const refused = { status: '400', scimType: 'invalidValue' };
    expect(listResults(answer)[0]?.response).toMatchObject(refused);
  });

  test('two POSTs with one bulkId both fail, and so does who names it', async () => {
    const answer = await sendBulk([newUser('a'), newUser('a'), newGroup('g', ['bulkId:a'])]);

    expect(listStatuses(answer)).toEqual(['400', '400', '409']);
  });
});

describe('one operation after the other', () => {
  test('operations on one resource keep their order', async () => {
    const id = await create('Users', { userName: `${newName()}@example.com`, title: 'none' });
    const title = (value: string) => patch(`/Users/${id}`, replace('title', value));

    const answer = await sendBulk([title('first'), title('second'), title('third')]);

    expect(listStatuses(answer)).toEqual(['200', '200', '200']);
    expect((await readAt(listResults(answer)[0])).title).toBe('third');
  });

  test('a list in the place of a PATCH is its operations', async () => {
    const id = await create('Users', { userName: `${newName()}@example.com`, nickName: 'Nick' });
    const changes = [{ op: 'remove', path: 'nickName' }, replace('title', 'Pilot')];

    const answer = await sendBulk([
      { method: 'PATCH', path: `/Users/${id}`, data: changes },
      { method: 'PATCH', path: '/Groups/bulkId:g', data: [admit('bulkId:a')] },
      newGroup('g', []),
      newUser('a'),
      { method: 'PATCH', path: `/Users/${id}`, data: [] },
      { method: 'PUT', path: `/Users/${id}`, data: changes },
    ]);

    expect(listStatuses(answer)).toEqual(['200', '200', '201', '201', '400', '400']);
    const { body } = await bridge.request('GET', `/Users/${id}`);
    expect(body).toMatchObject({ title: 'Pilot' });
    expect(body).not.toHaveProperty('nickName');
    const [, , g, a] = await Promise.all(listResults(answer).map(readAt));
    expect(listValues(g ?? {})).toEqual([a?.id]);
  });

  test('PUT and DELETE answer as single requests do, with version as If-Match', async () => {
    const userName = `${newName()}@example.com`;
    const id = await create('Users', { userName });

    const answer = await sendBulk([
      { method: 'PUT', path: `/Users/${id}`, version: 'W/"99"', data: { userName, title: 'no' } },
      { method: 'put', path: `Users/${id}`, version: 'W/"1"', data: { userName, title: 'yes' } },
      { method: 'DELETE', path: `/Users/${id}` },
      { method: 'DELETE', path: `/Users/${id}` },
    ]);

    const location = `${bridge.baseUrl}/Users/${id}`;
    expect(listStatuses(answer)).toEqual(['412', '200', '204', '404']);
    const put = { location, method: 'PUT', version: 'W/"2"', status: '200' };
    expect(listResults(answer)[1]).toEqual(put);
    expect(listResults(answer)[2]).toEqual({ location, method: 'DELETE', status: '204' });
    expect(listResults(answer)[3]?.location).toBe(location);
  });

  test('the same name twice in one request is 409 for the second', async () => {
    const [one, two] = [newUser('a'), newUser('b')];

    const answer = await sendBulk([one, { ...two, data: one.data ?? null }]);

    expect(listStatuses(answer)).toEqual(['201', '409']);
    expect(listResults(answer)[1]?.response).toMatchObject({ scimType: 'uniqueness' });
    expect(listResults(answer)[1]).not.toHaveProperty('location');
  });
});

test('people of one request join a group in one call', async () => {
  const first = await create('Users', { userName: `${newName()}@example.com` });
  const id = await create('Groups', { displayName: newName(), members: [{ value: first }] });
  const keys = Array.from({ length: 10 }, (_, index) => `p${index}`);
  await bridge.untilSettled();
  const { calls, faults } = bridge.sandbox;
  calls.reset();
  // The first can be let in before the last one is there.
  faults.add({ operation: 'scim.addUser', fault: { kind: 'delay', delayMs: 500 }, skip: 9 });
  const answer = await sendBulk([
    ...keys.map((key) => newUser(key)),
    ...keys.map((key) => patch(`/Groups/${id}`, admit(`bulkId:${key}`))),
  ]);

  expect(new Set(listStatuses(answer))).toEqual(new Set(['201', '200']));
  expect(calls.count({ operation: 'scim.addUser' })).toBe(10);
  expect(calls.count({ mutating: true })).toBe(11);
});

describe('malformed operations fail alone', () => {
  test.each<[why: string, operation: JsonValue, scimType: string]>([
    ['a POST without a bulkId', { method: 'POST', path: '/Users', data: {} }, 'invalidSyntax'],
    ['no method', { path: '/Users/1' }, 'invalidSyntax'],
    ['no path', { method: 'DELETE' }, 'invalidPath'],
    ['another endpoint', { method: 'DELETE', path: '/Schemas/1' }, 'invalidPath'],
    ['no object', 'DELETE', 'invalidPath'],
    ['a NUL in the id', { method: 'DELETE', path: '/Users/a\0b' }, 'invalidValue'],
  ])('%s', async (_, operation, scimType) => {
    const answer = await sendBulk([operation, newUser('fine')]);

    expect(listStatuses(answer)).toEqual(['400', '201']);
    expect(listResults(answer)[0]?.response).toMatchObject({ scimType });
  });
});

describe('a part of an operation that has to be a text says so, and changes nothing', () => {
  test.each<[part: string, toOperation: (path: string) => JsonObject]>([
    ['bulkId', () => ({ ...newUser('b'), bulkId: 7 })],
    ['method', (path) => ({ method: 7, path })],
    ['path', () => ({ method: 'DELETE', path: 7 })],
    ['version', (path) => ({ method: 'DELETE', path, version: 7 })],
  ])('%s', async (part, toOperation) => {
    const path = await addPerson();

    const answer = await sendBulk([toOperation(path)]);

    const detail = `The ${part} of an operation has to be a text.`;
    expect(listStatuses(answer)).toEqual(['400']);
    expect(listResults(answer)[0]?.response).toMatchObject({ scimType: 'invalidSyntax', detail });
    expect((await bridge.request('GET', path)).status).toBe(200);
  });

  test('and one of null is none', async () => {
    const path = await addPerson();

    const answer = await sendBulk([{ method: 'DELETE', path, version: null, bulkId: 7 }]);

    expect(listStatuses(answer)).toEqual(['204']);
  });
});

describe('the whole request is refused before anything is stored', () => {
  test.each<[why: string, body: JsonValue, status: number]>([
    ['no operations', { schemas: [BULK] }, 400],
    ['a body that is no object', [], 400],
    ['failOnErrors of -0.5', { failOnErrors: -0.5, Operations: [] }, 400],
    ['too many operations', { Operations: Array.from({ length: 1_001 }, () => ({})) }, 413],
  ])('%s', async (_, body, status) => {
    const answer = await bridge.request('POST', '/Bulk', body);

    expect(answer.status).toBe(status);
    expect(answer.body.status).toBe(String(status));
  });

  test('without operations nothing happens', async () => {
    expect(listResults(await sendBulk([]))).toEqual([]);
  });
});

describe('failOnErrors', () => {
  const bad = { method: 'DELETE', path: '/Users/nobody' };

  test('nothing is performed after that many errors, and nothing is said of the rest', async () => {
    const last = newUser('b');

    const answer = await sendBulk([bad, newUser('a'), bad, last], { failOnErrors: 2 });

    expect(listStatuses(answer)).toEqual(['404', '201', '404']);
    expect(listStatuses(await sendBulk([last]))).toEqual(['201']);
  });

  test('a refusal of the service counts before the next operation is stored', async () => {
    bridge.sandbox.faults.add({ operation: 'scim.addUser', fault: failing(422) });

    const answer = await sendBulk([newUser('a'), newUser('b'), newUser('c')], { failOnErrors: 1 });

    expect(listStatuses(answer)).toEqual(['400']);
  });

  test.each(['1', '1.0'])('may be written as %s', async (failOnErrors) => {
    expect(listStatuses(await sendBulk([bad, newUser('a')], { failOnErrors }))).toEqual(['404']);
  });
});

test('the service what it refuses is undone, and nothing is built upon it', async () => {
  bridge.sandbox.faults.add({ operation: 'scim.addUser', fault: failing(422) });
  const user = newUser('a');
  const group = newGroup('g', ['bulkId:a']);

  const answer = await sendBulk([group, user, newGroup('h', [])]);

  expect(listStatuses(answer)).toEqual(['409', '400', '201']);
  bridge.sandbox.faults.clear();
  expect(listStatuses(await sendBulk([group, user]))).toEqual(['201', '201']);
});

test('where the service lets nobody use groups, people are still performed', async () => {
  const half = await bridgeForTest({
    prepare: (sandbox) => sandbox.faults.add({ operation: 'groups', fault: failing(403) }),
  });
  const Operations = [newGroup('g', []), newUser('a')];
  const answer = await half.request('POST', '/Bulk', { Operations });

  expect(answer.status).toBe(200);
  expect(listStatuses(answer)).toEqual(['503', '201']);
});

test('an id in the path of an operation is encoded as in the address of a single request', async () => {
  const id = await create('Users', { userName: `${newName()}@example.com` });
  const encoded = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
  const title = { op: 'add', path: 'title', value: 'Pilot' };
  const paths = [encoded, '%00', '%ff', 'nobody%7C1'].map((part) => `/Users/${part}`);

  const answer = await sendBulk([
    ...paths.map((path) => patch(path, title)),
    newUser('50%'),
    patch('/Users/bulkId:50%', title),
  ]);

  expect(listStatuses(answer)).toEqual(['200', '404', '400', '404', '201', '200']);
  expect((await bridge.request('GET', `/Users/${id}`)).body.title).toBe('Pilot');
  const singles = paths.map((path) => bridge.request('GET', path));
  expect((await Promise.all(singles)).map(({ status }) => status)).toEqual([200, 404, 400, 404]);
});
