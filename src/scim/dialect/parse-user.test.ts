import { describe, expect, test } from 'vitest';
import { parseUser } from './parse-user.ts';
import type { RepairKind } from './repairs.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

/** Parses a body as it comes off the wire, so that a `__proto__` key is one. */
function parse(body: object | string) {
  const counts: Partial<Record<RepairKind, number>> = {};
  const count = (kind: RepairKind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...parseUser(JSON.parse(json), { count }), counts };
}

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

describe('what is said of one attribute', () => {
  const cases: { why: string; body: object; want: object; repair?: RepairKind; not?: string }[] = [
    {
      why: 'a name in odd case',
      body: { DisplayName: 'A' },
      want: { displayName: 'A' },
      repair: 'name-case',
    },
    {
      why: 'parts in odd case',
      body: { NAME: { FAMILYNAME: 'L' } },
      want: { name: { familyName: 'L' } },
      repair: 'name-case',
    },
    {
      why: 'dotted keys',
      body: { 'name.givenName': 'A', 'name.familyName': 'L' },
      want: { name: { givenName: 'A', familyName: 'L' } },
      repair: 'name-dotted',
    },
    {
      why: 'a dotted key beside the object',
      body: { name: { givenName: 'A' }, 'name.familyName': 'L' },
      want: { name: { givenName: 'A', familyName: 'L' } },
    },
    {
      why: 'a key qualified by the core URN',
      body: { [`${core}:title`]: 'T' },
      want: { title: 'T' },
      repair: 'name-qualified',
    },
    {
      why: 'a key qualified by an extension',
      body: { [`${enterprise}:department`]: 'D' },
      want: { [enterprise]: { department: 'D' } },
      repair: 'name-qualified',
    },
    {
      why: 'a misspelt URN with an object',
      body: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User': { department: 'D' } },
      want: { [enterprise]: { department: 'D' } },
    },
    {
      why: 'an enterprise attribute at the top',
      body: { department: 'D' },
      want: { [enterprise]: { department: 'D' } },
      repair: 'name-qualified',
    },
    { why: 'the core URN with an object', body: { [core]: { title: 'T' } }, want: { title: 'T' } },
    {
      why: 'a text boolean',
      body: { active: 'False' },
      want: { active: false },
      repair: 'boolean-as-text',
    },
    {
      why: 'a boolean in an array',
      body: { active: [true] },
      want: { active: true },
      repair: 'array-around-value',
    },
    {
      why: 'a text in an array',
      body: { title: ['T'] },
      want: { title: 'T' },
      repair: 'array-around-value',
    },
    {
      why: 'a text in an object',
      body: { title: { value: 'T' } },
      want: { title: 'T' },
      repair: 'object-around-value',
    },
    {
      why: 'a number for a text',
      body: { externalId: 42 },
      want: { externalId: '42' },
      repair: 'text-as-other',
    },
    {
      why: 'a text for a number',
      body: { [workManagement]: { appsPermissions: '2' } },
      want: { [workManagement]: { appsPermissions: 2 } },
      repair: 'number-as-text',
    },
    { why: 'null', body: { title: null }, want: {} },
    { why: 'an empty text', body: { title: '' }, want: {}, repair: 'blank-as-unassign' },
    { why: 'an empty array for one value', body: { title: [] }, want: {} },
    {
      why: 'a blank part',
      body: { name: { familyName: '', givenName: 'A' } },
      want: { name: { givenName: 'A' } },
    },
    { why: 'nothing but blank parts', body: { name: { familyName: '' } }, want: {} },
    { why: 'an empty object', body: { name: {} }, want: {} },
    { why: 'an empty list', body: { emails: [] }, want: {} },
    { why: 'null for a list', body: { emails: null }, want: {} },
    {
      why: 'a text for a name',
      body: { name: 'Ada L' },
      want: { name: { formatted: 'Ada L' } },
      repair: 'value-for-object',
    },
    {
      why: 'one object for a list',
      body: { emails: { value: 'a@x' } },
      want: { emails: [{ value: 'a@x' }] },
      repair: 'value-for-list',
    },
    {
      why: 'one text for a list',
      body: { emails: 'a@x' },
      want: { emails: [{ value: 'a@x' }] },
      repair: 'value-for-list',
    },
    {
      why: 'texts in a list',
      body: { emails: ['a@x', 'b@x'] },
      want: { emails: [{ value: 'a@x' }, { value: 'b@x' }] },
      repair: 'value-for-object',
    },
    {
      why: 'a text address',
      body: { addresses: ['Road 1'] },
      want: { addresses: [{ formatted: 'Road 1' }] },
    },
    {
      why: 'an element without content',
      body: { emails: [{ type: 'work', primary: true }, { type: 'work', value: '' }, null] },
      want: {},
    },
    {
      why: 'parts that are null',
      body: { emails: [{ value: 'a@x', type: null, $ref: null }] },
      want: { emails: [{ value: 'a@x' }] },
    },
    {
      why: 'primary as a text',
      body: { roles: [{ value: 'r', primary: 'True' }] },
      want: { roles: [{ value: 'r', primary: true }] },
      repair: 'boolean-as-text',
    },
    {
      why: 'primary that is nothing',
      body: { roles: [{ value: 'r', primary: 'perhaps' }] },
      want: { roles: [{ value: 'r' }] },
      repair: 'value-dropped',
    },
    {
      why: 'several primaries',
      body: {
        emails: [
          { value: 'a@x', primary: true },
          { value: 'b@x', primary: true },
        ],
      },
      want: {
        emails: [
          { value: 'a@x', primary: true },
          { value: 'b@x', primary: false },
        ],
      },
      repair: 'several-primaries',
    },
    {
      why: 'the same value twice',
      body: {
        emails: [
          { value: 'A@x', type: 'work' },
          { value: 'a@x', type: 'Work', display: 'A' },
        ],
      },
      want: { emails: [{ value: 'a@x', type: 'Work', display: 'A' }] },
      repair: 'duplicate-values',
    },
    {
      why: 'the same value for two uses stays two',
      body: {
        emails: [
          { value: 'a@x', type: 'work' },
          { value: 'a@x', type: 'home' },
        ],
      },
      want: {
        emails: [
          { value: 'a@x', type: 'work' },
          { value: 'a@x', type: 'home' },
        ],
      },
    },
    {
      why: 'the same address twice',
      body: {
        addresses: [
          { type: 'work', country: 'BE' },
          { country: 'BE', type: 'work', primary: true },
        ],
      },
      want: { addresses: [{ type: 'work', country: 'BE', primary: true }] },
    },
    {
      why: 'a role as JSON in a text',
      body: { roles: [{ value: '{"id":"1","value":"Admin","displayName":"The Admin"}' }] },
      want: { roles: [{ value: 'Admin', display: 'The Admin' }] },
      repair: 'json-in-text',
    },
    {
      why: 'a role that only looks like JSON',
      body: { roles: ['{x'] },
      want: { roles: [{ value: '{x' }] },
    },
    {
      why: 'a manager as text',
      body: { [enterprise]: { manager: 'm1' } },
      want: { [enterprise]: { manager: { value: 'm1' } } },
    },
    {
      why: 'a manager in an array',
      body: { manager: [{ value: 'm1', $ref: 'http://x/m1' }] },
      want: { [enterprise]: { manager: { value: 'm1', $ref: 'http://x/m1' } } },
    },
    { why: 'a manager without value', body: { manager: { value: '', $ref: 'x' } }, want: {} },
    {
      why: "a manager's name is not taken",
      body: { manager: { value: 'm1', displayName: 'M' } },
      want: { [enterprise]: { manager: { value: 'm1' } } },
      repair: 'read-only-dropped',
    },
    {
      why: 'a value that cannot be a text',
      body: { title: { x: 1 } },
      want: {},
      repair: 'value-dropped',
      not: 'title',
    },
    {
      why: 'two values where one belongs',
      body: { title: ['a', 'b'] },
      want: {},
      repair: 'value-dropped',
      not: 'title',
    },
    {
      why: 'a password',
      body: { password: 'p' },
      want: {},
      repair: 'password-dropped',
      not: 'password',
    },
    { why: 'an id', body: { id: 'x' }, want: {}, repair: 'read-only-dropped', not: 'id' },
    {
      why: 'meta',
      body: { meta: { resourceType: 'User' } },
      want: {},
      repair: 'read-only-dropped',
      not: 'meta',
    },
    {
      why: 'groups',
      body: { groups: [{ value: 'g' }] },
      want: {},
      repair: 'read-only-dropped',
      not: 'groups',
    },
    {
      why: 'a read-only attribute of an extension',
      body: { [workManagement]: { role: 1 } },
      want: {},
      repair: 'read-only-dropped',
    },
    {
      why: 'active that is blank says nothing',
      body: { active: '' },
      want: {},
      repair: 'blank-active-dropped',
      not: 'active',
    },
    {
      why: 'an unknown attribute',
      body: { shoeSize: 42 },
      want: {},
      repair: 'unknown-attribute-dropped',
      not: 'shoeSize',
    },
    {
      why: 'an unknown part',
      body: { name: { x: 1 } },
      want: {},
      repair: 'unknown-attribute-dropped',
      not: 'name',
    },
    {
      why: 'an unknown extension',
      body: { 'urn:okta:acme:2.0:user:custom': { a: 1 } },
      want: {},
      repair: 'unknown-schema-dropped',
    },
    { why: 'a key with a filter', body: { 'emails[type eq "work"].value': 'a@x' }, want: {} },
    {
      why: 'an extension that is no object',
      body: { [enterprise]: 'x' },
      want: {},
      repair: 'value-dropped',
    },
    { why: 'a null extension', body: { [enterprise]: null }, want: {} },
  ];
  for (const { why, body, want, repair, not } of cases) {
    test(why, () => {
      const { attributes, mentioned, counts } = parse({ ...clean, ...body });
      expect(attributes).toEqual({ userName: clean.userName, ...want });
      if (repair) expect(counts[repair]).toBeGreaterThan(0);
      if (not) expect([...mentioned]).not.toContain(not);
    });
  }
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
