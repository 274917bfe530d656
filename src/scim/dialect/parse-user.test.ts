import { describe, expect, test } from 'vitest';
import { core, enterprise, parse, workManagement } from './dialect-test-support.ts';

const clean = { schemas: [core], userName: 'ada@x.example' };

test('a clean body needs no repair', () => {
  const attributes = {
    userName: 'Ada@x.example',
    externalId: 'e1',
    name: { givenName: 'Ada', familyName: 'L' },
    active: true,
    emails: [{ value: 'ada@x.example', type: 'work', primary: true }],
    [enterprise]: { department: 'R&D', manager: { value: 'm1' } },
    [workManagement]: { appsPermissions: 2, temporarilyInactive: false },
  };
  const parsed = parse({ schemas: [core, enterprise, workManagement], ...attributes });
  expect(parsed.attributes).toEqual(attributes);
  expect([...parsed.mentioned]).toEqual(expect.arrayContaining(Object.keys(attributes)));
  expect(parsed.counts).toEqual({});
});

test('what is emptied is mentioned', () => {
  const { mentioned } = parse({
    ...clean,
    title: '',
    emails: [],
    name: null,
    [enterprise]: {},
    roles: [null],
  });
  expect([...mentioned].sort()).toEqual(
    ['emails', 'name', 'roles', 'title', 'userName', enterprise].sort(),
  );
});

test('what the body does not speak of is not mentioned', () => {
  expect([...parse(clean).mentioned]).toEqual(['userName']);
});

const schemas = [
  { why: 'none', value: undefined, repair: 'schemas-missing' },
  { why: 'no list', value: core, repair: 'schemas-missing' },
  { why: 'of a draft', value: ['urn:scim:schemas:core:2.0'], repair: 'schemas-unknown' },
  {
    why: 'misspelt',
    value: [core, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User'],
    repair: 'schemas-unknown',
  },
] as const;

for (const { why, value, repair } of schemas) {
  test(`a body with schemas ${why} is taken, and counted`, () => {
    expect(parse({ ...clean, schemas: value }).counts[repair]).toBe(1);
  });
}

describe('a body is refused', () => {
  const deep = `${'['.repeat(30)}${']'.repeat(30)}`;
  const cases = [
    { why: 'no object', json: '[]', scimType: 'invalidSyntax' },
    { why: 'nothing', json: 'null', scimType: 'invalidSyntax' },
    { why: 'no userName', json: '{"displayName":"A"}', scimType: 'invalidValue' },
    { why: 'a blank userName', json: '{"userName":"  "}', scimType: 'invalidValue' },
    { why: 'userName null', json: '{"userName":null}', scimType: 'invalidValue' },
    { why: 'a userName that is no text', json: '{"userName":{"x":1}}', scimType: 'invalidValue' },
    {
      why: 'active that is no boolean',
      json: '{"userName":"a","active":"yes"}',
      scimType: 'invalidValue',
    },
    { why: 'active as a number', json: '{"userName":"a","active":1}', scimType: 'invalidValue' },
    {
      why: 'a licence that is no number',
      json: `{"userName":"a","${workManagement}":{"appsPermissions":"all"}}`,
      scimType: 'invalidValue',
    },
    {
      why: 'a userName no index could hold',
      json: `{"userName":"${'a'.repeat(513)}"}`,
      scimType: 'invalidValue',
    },
    {
      why: 'an address no index could hold',
      json: `{"userName":"a","emails":["${'a'.repeat(513)}"]}`,
      scimType: 'invalidValue',
    },
    { why: 'NUL in a value', json: '{"userName":"a\\u0000"}', scimType: 'invalidValue' },
    {
      why: 'NUL in what is dropped',
      json: '{"userName":"a","x":{"y":["\\u0000"]}}',
      scimType: 'invalidValue',
    },
    { why: 'NUL in a key', json: '{"userName":"a","x\\u0000":1}', scimType: 'invalidValue' },
    {
      why: 'half of a surrogate pair',
      json: '{"userName":"a","title":"\\ud800"}',
      scimType: 'invalidValue',
    },
    { why: 'nested too deep', json: `{"userName":"a","x":${deep}}`, scimType: 'invalidSyntax' },
    {
      why: 'too many values',
      json: JSON.stringify({ userName: 'a', emails: Array(1_001).fill('a@x') }),
      scimType: 'invalidValue',
    },
    {
      why: 'far too many values',
      json: JSON.stringify({ userName: 'a', x: Array(100_001).fill(0) }),
      scimType: 'invalidValue',
    },
  ];
  for (const { why, json, scimType } of cases) {
    test(why, () => {
      expect(() => parse(json)).toThrow(expect.objectContaining({ status: 400, scimType }));
    });
  }

  test('and the refusal does not repeat what was sent', () => {
    expect(() => parse('{"userName":"a","active":"secret"}')).not.toThrow(/secret/);
  });
});

test('keys that every object has are only keys', () => {
  const { attributes, mentioned } = parse(
    `{"userName":"a","__proto__":{"admin":true},"constructor":{"keys":1},
      "name":{"__proto__":{"x":1},"givenName":"A"},"${enterprise}:__proto__.x":1,"${enterprise}":{"__proto__":{"y":1}},
      "emails":[{"value":"a@x","__proto__":{"z":1}}]}`,
  );
  expect(attributes).toEqual({
    userName: 'a',
    name: { givenName: 'A' },
    emails: [{ value: 'a@x' }],
  });
  expect(Object.getPrototypeOf(attributes)).toBe(Object.prototype);
  expect([...mentioned]).not.toContain('__proto__');
  for (const name of ['admin', 'x', 'y', 'z']) expect({}).not.toHaveProperty(name);
});
