import { expect, test } from 'vitest';
import type { RepairKind } from '../repairs.ts';
import { groupSchema, userSchema } from '../schema/resource-schemas.ts';
import { core, enterprise } from './dialect-test-support.ts';
import { parsePatch } from './parse-body.ts';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const silent = { count: () => {} };
const replace = (path: unknown, value: unknown) => ({ op: 'replace', path, value });

const noOp = 'The op of an operation is none of add, replace and remove.';
const noObject = 'An operation is not a JSON object.';
const noAttributes = 'An operation without a path needs an object of attributes as its value.';
const noSchema = 'A schema needs an object of attributes.';

/** Why; the operation; the scimType and the words of the refusal. */
const refused: readonly (readonly [string, unknown, string, string])[] = [
  [
    'remove without path',
    { op: 'remove', value: { active: false } },
    'noTarget',
    'A remove operation has no path.',
  ],
  ['an unknown op', { op: 'frobnicate', path: 'active', value: true }, 'invalidSyntax', noOp],
  ['no op', { path: 'active', value: true }, 'invalidSyntax', noOp],
  ['an op that is no text', { op: 5, path: 'active', value: true }, 'invalidSyntax', noOp],
  ['an operation that is a text', 'replace', 'invalidSyntax', noObject],
  ['an operation that is a list', [replace('title', 'T')], 'invalidSyntax', noObject],
  [
    'active that is no boolean',
    replace('active', 'yes'),
    'invalidValue',
    'The value of active is no boolean.',
  ],
  [
    'no value',
    { op: 'replace', path: 'title' },
    'invalidValue',
    'The replace of title has no value.',
  ],
  [
    'no value for a part',
    { op: 'add', path: 'name.givenName' },
    'invalidValue',
    'The add of name.givenName has no value.',
  ],
  [
    'no value for an attribute of an extension',
    { op: 'add', path: `${enterprise}.manager.value` },
    'invalidValue',
    `The add of ${enterprise}:manager.value has no value.`,
  ],
  ['no path and no object', { op: 'replace', value: 'x' }, 'invalidValue', noAttributes],
  ['no path and nothing', { op: 'replace' }, 'invalidValue', noAttributes],
  [
    'no path and two objects',
    { op: 'add', value: [{ title: 'T' }, { title: 'U' }] },
    'invalidValue',
    noAttributes,
  ],
  ['a blank userName', replace('userName', ''), 'invalidValue', 'userName cannot be blank.'],
  ['a userName of null', replace('userName', null), 'invalidValue', 'userName cannot be blank.'],
  [
    'a userName of white space',
    { op: 'replace', value: { userName: ' ' } },
    'invalidValue',
    'userName cannot be blank.',
  ],
  [
    'a userName that is no text',
    replace('userName', { x: 1 }),
    'invalidValue',
    'The value of userName is not a text.',
  ],
  [
    'a name no index could hold',
    replace('displayName', 'a'.repeat(513)),
    'invalidValue',
    'displayName is longer than 512 characters.',
  ],
  [
    'an address no index could hold',
    replace('emails[type eq "work"].value', 'a'.repeat(513)),
    'invalidValue',
    'emails is longer than 512 characters.',
  ],
  [
    'NUL',
    replace('title', '\0'),
    'invalidValue',
    'The body holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row.',
  ],
  [
    'remove of userName',
    { op: 'remove', path: 'userName' },
    'mutability',
    'userName cannot be removed.',
  ],
  [
    'remove of the core schema',
    { op: 'remove', path: core },
    'mutability',
    'The core schema cannot be removed.',
  ],
  ['null for the core schema', replace(core, null), 'invalidValue', noSchema],
  ['a text for a schema', replace(enterprise, 'x'), 'invalidValue', noSchema],
  ['the prototype as path', replace('__proto__.x', 1), 'invalidPath', 'The path is malformed.'],
  [
    'a path that is no text',
    replace(5, 1),
    'invalidPath',
    'The path of an operation is not a text.',
  ],
];

for (const [why, operation, scimType, message] of refused) {
  test(`a PATCH is refused as a whole: ${why}`, () => {
    const body = { Operations: [replace('title', 'T'), operation] };
    expect(() => parsePatch(body, { schema: userSchema, repairs: silent })).toThrow(
      expect.objectContaining({ status: 400, scimType, message: `Operation 2: ${message}` }),
    );
  });
}

for (const body of [null, []]) {
  test(`the body ${JSON.stringify(body)} is no PATCH`, () => {
    expect(() => parsePatch(body, { schema: userSchema, repairs: silent })).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidSyntax' }),
    );
  });
}

for (const body of [{}, { Operations: [] }, { Operations: 'x' }]) {
  test(`the body ${JSON.stringify(body)} has no operations`, () => {
    expect(() => parsePatch(body, { schema: userSchema, repairs: silent })).toThrow(
      expect.objectContaining({
        status: 400,
        scimType: 'invalidSyntax',
        message: 'The body has no Operations.',
      }),
    );
  });
}

test('a thousand operations on one user are read, more are refused', () => {
  const Operations = Array(1_000).fill(replace('title', 'T'));
  const more = { Operations: [...Operations, replace('title', 'T')] };

  expect(parsePatch({ Operations }, { schema: userSchema, repairs: silent }).steps).toHaveLength(
    1_000,
  );
  expect(() => parsePatch(more, { schema: userSchema, repairs: silent })).toThrow(
    expect.objectContaining({ status: 400, message: 'The body has more than 1000 Operations.' }),
  );
});

test('a group is changed by as many operations as it has members', () => {
  const Operations = Array.from({ length: 1_001 }, (_, i) => ({
    op: 'add',
    path: 'members',
    value: [{ value: `u${i}` }],
  }));
  expect(parsePatch({ Operations }, { schema: groupSchema, repairs: silent }).steps).toHaveLength(
    1_001,
  );
});

test('a refusal does not repeat the value', () => {
  const body = { Operations: [replace('active', 'secret')] };
  expect(() => parsePatch(body, { schema: userSchema, repairs: silent })).not.toThrow(/secret/);
});

/** Why; the operation, or the whole body; the repairs that are counted. */
const repaired: readonly (readonly [string, object, RepairKind[]])[] = [
  ['a clean one', replace('title', 'T'), []],
  ['a clean removal', { op: 'remove', path: 'title' }, []],
  ['no schemas', { Operations: [replace('title', 'T')] }, ['schemas-missing']],
  ['other schemas', { schemas: [core], Operations: [replace('title', 'T')] }, ['schemas-unknown']],
  [
    'operations in lower case, and one instead of a list',
    { schemas: [PATCH_OP], operations: replace('title', 'T') },
    ['name-spelling', 'operation-for-list'],
  ],
  ['an op in upper case', { op: 'Replace', path: 'title', value: 'T' }, ['op-case']],
  ['active that is blank', replace('active', ''), ['blank-active-dropped', 'blank-as-unassign']],
  ['active that is removed', { op: 'remove', path: 'active' }, ['blank-active-dropped']],
  ['a password', replace('password', 'p'), ['password-dropped']],
  ['schemas', replace('schemas', [core]), ['read-only-dropped']],
  ['an unknown schema', replace('urn:acme:2.0:User:size', 1), ['unknown-schema-dropped']],
  [
    'values beside a removal',
    { op: 'remove', path: 'emails', value: [{ value: 'a@x' }] },
    ['remove-by-value'],
  ],
  ['a needless value beside a removal', { op: 'remove', path: 'title', value: 'T' }, []],
  [
    'a value beside a removal by a filter',
    { op: 'remove', path: 'emails[type eq "work"]', value: [{ value: 'a@x' }] },
    ['remove-value-dropped'],
  ],
];

for (const [why, given, want] of repaired) {
  test(`a PATCH is taken and its repairs are counted: ${why}`, () => {
    const body = 'op' in given ? { schemas: [PATCH_OP], Operations: [given] } : given;
    const kinds: RepairKind[] = [];
    parsePatch(body, {
      schema: userSchema,
      repairs: { count: (kind) => kinds.push(kind) },
    });
    expect(kinds.sort()).toEqual(want);
  });
}

test('one operation instead of a list is taken', () => {
  const { steps } = parsePatch(
    { operations: replace('title', 'T') },
    { schema: userSchema, repairs: silent },
  );
  expect(steps).toMatchObject([{ kind: 'set', op: 'replace', value: 'T' }]);
});

test('of the people of a group only values beside a removal are repaired', () => {
  const value = [{ value: 'u' }];
  for (const [op, want] of [
    ['add', []],
    ['replace', []],
    ['remove', ['remove-by-value']],
  ] as const) {
    const kinds: RepairKind[] = [];
    const body = { schemas: [PATCH_OP], Operations: [{ op, path: 'members', value }] };
    parsePatch(body, {
      schema: groupSchema,
      repairs: { count: (kind) => kinds.push(kind) },
    });
    expect(kinds).toEqual(want);
  }
});

test('keys that every object has are only keys', () => {
  const body: unknown = JSON.parse(
    '{"Operations":[{"op":"replace","value":{"__proto__":{"x":1},"constructor":{"y":1},"name":{"__proto__":{"z":1},"givenName":"A"}}}]}',
  );
  const { steps } = parsePatch(body, { schema: userSchema, repairs: silent });
  expect(steps).toMatchObject([{ kind: 'set', value: { givenName: 'A' } }]);
  for (const name of ['x', 'y', 'z']) expect({}).not.toHaveProperty(name);
});
