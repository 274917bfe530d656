import { expect, test } from 'vitest';
import { userSchema } from '../schema/resource-schemas.ts';
import { parsePatch } from './parse-patch.ts';
import type { RepairKind } from './repairs.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const silent = { count: () => {} };
const replace = (path: unknown, value: unknown) => ({ op: 'replace', path, value });

/** Why; the operation; the scimType of the refusal. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['remove without path', { op: 'remove', value: { active: false } }, 'noTarget'],
  ['an unknown op', { op: 'frobnicate', path: 'active', value: true }, 'invalidSyntax'],
  ['no op', { path: 'active', value: true }, 'invalidSyntax'],
  ['an operation that is no object', 'replace', 'invalidSyntax'],
  ['active that is no boolean', replace('active', 'yes'), 'invalidValue'],
  ['no value', { op: 'replace', path: 'title' }, 'invalidValue'],
  ['no path and no object', { op: 'replace', value: 'x' }, 'invalidValue'],
  ['a blank userName', replace('userName', ''), 'invalidValue'],
  ['a userName of white space', { op: 'replace', value: { userName: ' ' } }, 'invalidValue'],
  ['a userName that is no text', replace('userName', { x: 1 }), 'invalidValue'],
  ['a name no index could hold', replace('displayName', 'a'.repeat(513)), 'invalidValue'],
  [
    'an address no index could hold',
    replace('emails[type eq "work"].value', 'a'.repeat(513)),
    'invalidValue',
  ],
  ['NUL', replace('title', '\0'), 'invalidValue'],
  ['remove of userName', { op: 'remove', path: 'userName' }, 'mutability'],
  ['a read-only attribute as path', replace('id', 'x'), 'mutability'],
  ['a read-only part as path', replace('meta.version', 'x'), 'mutability'],
  ['groups as path', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'mutability'],
  ['an unknown core name', replace('shoeSize', 1), 'invalidPath'],
  ['an unknown core name with its URN', replace(`${core}:shoeSize`, 1), 'invalidPath'],
  ['an unknown part', replace('name.x', 1), 'invalidPath'],
  ['an unknown part behind a filter', replace('emails[type eq "work"].x', 1), 'invalidPath'],
  ['members of a user', { op: 'add', path: 'members', value: [] }, 'invalidPath'],
  ['a path that is no text', replace(5, 1), 'invalidPath'],
  ['a bracket that does not close', replace('emails[type eq "work"', 1), 'invalidPath'],
  ['something after the bracket', replace('emails[type eq "work"]x', 1), 'invalidPath'],
  ['a filter on what is no list', replace('name[x eq 1]', 1), 'invalidPath'],
  ['a filter that is none', replace('emails[work]', 1), 'invalidFilter'],
  ['the prototype in a filter', replace('emails[__proto__ eq "x"].value', 1), 'invalidFilter'],
  ['the prototype as path', replace('__proto__.x', 1), 'invalidPath'],
  ['a path of 100,000 characters', replace(`${'a.'.repeat(50_000)}a`, 1), 'invalidPath'],
];

for (const [why, operation, scimType] of refused) {
  test(`a PATCH is refused as a whole: ${why}`, () => {
    const body = { Operations: [replace('title', 'T'), operation] };
    expect(() => parsePatch(body, userSchema, silent)).toThrow(
      expect.objectContaining({ status: 400, scimType }),
    );
  });
}

for (const body of [null, [], {}, { Operations: [] }, { Operations: 'x' }]) {
  test(`the body ${JSON.stringify(body)} is no PATCH`, () => {
    expect(() => parsePatch(body, userSchema, silent)).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidSyntax' }),
    );
  });
}

test('more operations on one user than anybody needs are refused', () => {
  const body = { Operations: Array(1_001).fill(replace('title', 'T')) };
  expect(() => parsePatch(body, userSchema, silent)).toThrow(/more than 1000 Operations/);
});

test('a refusal does not repeat the value', () => {
  const body = { Operations: [replace('active', 'secret')] };
  expect(() => parsePatch(body, userSchema, silent)).not.toThrow(/secret/);
});

/** Why; the body; the repairs that are counted. */
const repaired: readonly (readonly [string, object, RepairKind[]])[] = [
  ['a clean one', { schemas: [PATCH_OP], Operations: [replace('title', 'T')] }, []],
  ['no schemas', { Operations: [replace('title', 'T')] }, ['schemas-missing']],
  ['other schemas', { schemas: [core], Operations: [replace('title', 'T')] }, ['schemas-unknown']],
  [
    'operations in lower case, and one instead of a list',
    { schemas: [PATCH_OP], operations: replace('title', 'T') },
    ['name-case', 'operation-for-list'],
  ],
  [
    'an op in upper case',
    { schemas: [PATCH_OP], Operations: [{ op: 'Replace', path: 'title', value: 'T' }] },
    ['op-case'],
  ],
];

for (const [why, body, want] of repaired) {
  test(`a PATCH is taken and its repairs are counted: ${why}`, () => {
    const kinds: RepairKind[] = [];
    const steps = parsePatch(body, userSchema, { count: (kind) => kinds.push(kind) });
    expect(steps).toMatchObject([{ kind: 'set', value: 'T' }]);
    expect(kinds.sort()).toEqual(want);
  });
}

test('keys that every object has are only keys', () => {
  const body: unknown = JSON.parse(
    '{"Operations":[{"op":"replace","value":{"__proto__":{"x":1},"constructor":{"y":1},"name":{"__proto__":{"z":1},"givenName":"A"}}}]}',
  );
  const steps = parsePatch(body, userSchema, silent);
  expect(steps).toMatchObject([{ kind: 'set', value: { givenName: 'A' } }]);
  for (const name of ['x', 'y', 'z']) expect({}).not.toHaveProperty(name);
});
