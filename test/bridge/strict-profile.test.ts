import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { getToken } from '../support/credentials.ts';
import { toGroup, toPatch, toUser } from '../support/provider.ts';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

interface Table {
  readonly refused: (readonly [string, string, JsonObject | null, string, number])[];
  readonly taken: (readonly [string, string, JsonObject | null, number, JsonObject])[];
}
const table: Table = parse(readFileSync(join(import.meta.dirname, 'strict-profile.yaml'), 'utf8'));

const bridge = bridgeForSuite();
let strict: string;
let ids: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  const phoneNumbers = ['1', '2'].map((value) => ({ value, type: 'work' }));
  const ada = await bridge.addUser('ada', { externalId: 'Ext-1', phoneNumbers });
  const [bob, gone] = await bridge.addPeople('bob', 'gone');
  const pilots = await bridge.addGroup('Pilots', [ada, bob]);
  ids = { ada, ADA: ada.toUpperCase(), bob, gone, pilots, lost: await bridge.addGroup('Lost') };
  const made = await bridge.ops('POST', '/tokens', { name: 'letter', profile: 'strict' });
  expect(made.body).toMatchObject({ profile: 'strict' });
  strict = String(made.body.token);
});

function askStrictly(method: string, path: string, body?: JsonValue) {
  return bridge.request(method, path, body, { authorization: `Bearer ${strict}` });
}

const fill = (given: JsonValue) =>
  JSON.parse(JSON.stringify(given).replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? ''));

function toRequest(asked: string, given: JsonObject | null) {
  const [line, body] = fill([asked, given]);
  const [, method = '', path = '', query] = /^(\S+) ([^?]+)\??(.*)$/.exec(line) ?? [];
  const { user, group, ops, ...rest } = body ?? {};
  const whole = user ? toUser(user, rest) : group ? { ...toGroup(group), ...rest } : rest;
  const address = query ? `${path}?${new URLSearchParams(query)}` : path;
  return { method, path: address, body: ops ? toPatch(...ops) : body ? whole : undefined };
}

describe('the strict profile refuses, and the lenient one judges by itself,', () => {
  test.each(table.refused)('%s', async (_line, asked, given, scimType, lenient) => {
    const { method, path, body } = toRequest(asked, given);
    expect(await askStrictly(method, path, body)).toMatchObject({
      status: 400,
      body: { scimType },
    });
    if (method !== 'GET' && !path.endsWith('.search')) {
      const bulk = { schemas: [BULK], Operations: [{ method, path, bulkId: 'b', data: body }] };
      const [result] = [(await askStrictly('POST', '/Bulk', bulk)).body.Operations].flat();
      expect(result).toMatchObject({ status: '400', response: { scimType } });
    }
    expect((await bridge.request(method, path, body)).status).toBe(lenient);
  });
});

test('the strict profile meets the interoperability profile line by line', async () => {
  await bridge.tryPatch(`/Groups/${ids.pilots}`, {
    op: 'add',
    path: 'members',
    value: [{ value: String(ids.ada) }],
  });
  for (const [line, asked, given, status, want] of table.taken) {
    const { method, path, body } = toRequest(asked, given);
    const answer = await askStrictly(method, path, body);
    expect({ ...answer, line }).toMatchObject({ line, status, body: fill(want) });
    if (status !== 204) expect(answer.headers['content-type']).toMatch(/^application\/scim\+json/);
  }
  const lenient = await bridge.request('GET', '/ServiceProviderConfig');
  expect(lenient.body).not.toHaveProperty('interopProfileConformant');
});

test('the descriptions name what there is: ids that are names, all schemas, the types of each list', async () => {
  const list = async (path: string) =>
    [(await askStrictly('GET', path)).body.Resources].flat().map(Object);
  const [types, schemas] = [await list('/ResourceTypes'), await list('/Schemas')];
  expect(types.every(({ id, name }) => id === name)).toBe(true);
  const endpoints = ['/Users', '/Groups', '/Roles', '/Entitlements'];
  expect(types.map(({ endpoint }) => endpoint)).toEqual(endpoints);
  const named = types.flatMap(({ schema, schemaExtensions }) => [
    schema,
    ...schemaExtensions.map(Object).map((extension: { schema: string }) => extension.schema),
  ]);
  expect(new Set(schemas.map(({ id }) => id))).toEqual(new Set(named));
  const attributes = schemas.flatMap((schema) => schema.attributes.map(Object));
  const counts = attributes.flatMap(({ multiValued, subAttributes = [] }) => {
    const type = subAttributes.find(({ name }: { name: string }) => name === 'type');
    return multiValued && type ? [type.canonicalValues.length] : [];
  });
  expect(counts.length).toBeGreaterThan(9);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(attributes.map(({ name }) => name)).not.toContain('password');
});

test('an OAuth client has a profile too, and credentials show theirs', async () => {
  const made = await bridge.ops('POST', '/clients', { name: 'oauth', profile: 'strict' });
  expect(made.body).toMatchObject({ profile: 'strict' });
  const { id, secret } = made.body;
  const token = await getToken(bridge, { id: String(id), secret: String(secret) });
  const refused = await bridge.request('GET', '/Users?filter=shoeSize%20pr', undefined, {
    authorization: `Bearer ${token}`,
  });
  expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  const { body } = await bridge.ops('GET', '/tokens');
  expect(body.items).toMatchObject([{ name: 'letter', profile: 'strict' }]);
  const lenient = await bridge.ops('POST', '/tokens', { name: 'usual' });
  expect(lenient.body).toMatchObject({ profile: 'lenient' });
  const wrong = await bridge.ops('POST', '/tokens', { name: 'other', profile: 'loose' });
  expect(wrong.status).toBe(400);
});
