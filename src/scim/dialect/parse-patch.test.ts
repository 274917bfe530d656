import { expect, test } from 'vitest';
import type { RepairKind } from '../repairs.ts';
import { core, enterprise, groupSchema, refused, userSchema } from '../scim-test-support.ts';
import { parsePatch } from './parse-body.ts';

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const read = (body: unknown, schema = userSchema) =>
  parsePatch(body, { schema, repairs: { count: () => {} } });
function listRepairs(body: unknown, schema: typeof userSchema): RepairKind[] {
  const kinds: RepairKind[] = [];
  parsePatch(body, { schema, repairs: { count: (kind) => kinds.push(kind) } });
  return kinds.sort();
}
const replace = (path: unknown, value: unknown) => ({ op: 'replace', path, value });

const noOp = 'The op of an operation is none of add, replace and remove.';
const noObject = 'An operation is not a JSON object.';
const noAttributes = 'An operation without a path needs an object of attributes as its value.';
const noText =
  'The body holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row.';
const noManager = `The add of ${enterprise}:manager.value has no value.`;
const ofWork = 'emails[type eq "work"]';
const noSchema = 'A schema needs an object of attributes.';

/** The operation; the words of the refusal; its scimType. */
const refusals: readonly (readonly [unknown, string, string?])[] = [
  [{ op: 'remove', value: { active: false } }, 'A remove operation has no path.', 'noTarget'],
  [{ op: 'frobnicate', path: 'active', value: true }, noOp, 'invalidSyntax'],
  [{ path: 'active', value: true }, noOp, 'invalidSyntax'],
  [{ op: 5, path: 'active', value: true }, noOp, 'invalidSyntax'],
  ['replace', noObject, 'invalidSyntax'],
  [[replace('title', 'T')], noObject, 'invalidSyntax'],
  [replace('active', 'yes'), 'The value of active is no boolean.'],
  [{ op: 'replace', path: 'title' }, 'The replace of title has no value.'],
  [{ op: 'add', path: 'name.givenName' }, 'The add of name.givenName has no value.'],
  [{ op: 'add', path: `${enterprise}.manager.value` }, noManager],
  [{ op: 'replace', value: 'x' }, noAttributes],
  [{ op: 'replace' }, noAttributes],
  [{ op: 'add', value: [{ title: 'T' }, { title: 'U' }] }, noAttributes],
  [replace('userName', ''), 'userName cannot be blank.'],
  [replace('userName', null), 'userName cannot be blank.'],
  [{ op: 'replace', value: { userName: ' ' } }, 'userName cannot be blank.'],
  [replace('userName', { x: 1 }), 'The value of userName is not a text.'],
  [replace('displayName', 'a'.repeat(513)), 'displayName is longer than 512 characters.'],
  [replace(`${ofWork}.value`, 'a'.repeat(513)), 'emails is longer than 512 characters.'],
  [replace('title', '\0'), noText],
  [{ op: 'remove', path: 'userName' }, 'userName cannot be removed.', 'mutability'],
  [{ op: 'remove', path: core }, 'The core schema cannot be removed.', 'mutability'],
  [replace(core, null), noSchema],
  [replace(enterprise, 'x'), noSchema],
  [replace('__proto__.x', 1), 'The path is malformed.', 'invalidPath'],
  [replace(5, 1), 'The path of an operation is not a text.', 'invalidPath'],
];

for (const [operation, message, scimType = 'invalidValue'] of refusals) {
  test(`a PATCH is refused as a whole: ${JSON.stringify(operation).slice(0, 100)}`, () => {
    const body = { Operations: [replace('title', 'T'), operation] };
    expect(() => read(body)).toThrow(refused(scimType, `Operation 2: ${message}`));
  });
}

for (const body of [{}, { Operations: [] }, { Operations: 'x' }]) {
  test(`the body ${JSON.stringify(body)} has no operations`, () => {
    expect(() => read(body)).toThrow(refused('invalidSyntax', 'The body has no Operations.'));
  });
}

test('a group is changed by as many operations as it has members', () => {
  const toAddition = (id: string) => ({ op: 'add', path: 'members', value: [{ value: id }] });
  const Operations = Array.from({ length: 1_001 }, (_, i) => toAddition(`u${i}`));
  expect(read({ Operations }, groupSchema).steps).toHaveLength(1_001);
});

test('a refusal does not repeat the value', () => {
  const body = { Operations: [replace('active', 'secret')] };
  expect(() => read(body)).not.toThrow(/secret/);
});

const single = replace('title', 'T');
/** The operation, or the whole body; the repairs that are counted. */
const repaired: readonly (readonly [object, RepairKind[]])[] = [
  [replace('title', 'T'), []],
  [{ op: 'remove', path: 'title' }, []],
  [{ Operations: [replace('title', 'T')] }, ['schemas-missing']],
  [{ schemas: [core], Operations: [replace('title', 'T')] }, ['schemas-unknown']],
  [{ schemas: [PATCH_OP], operations: single }, ['name-spelling', 'operation-for-list']],
  [{ op: 'Replace', path: 'title', value: 'T' }, ['op-case']],
  [replace('active', ''), ['blank-active-dropped', 'blank-as-unassign']],
  [{ op: 'remove', path: 'active' }, ['blank-active-dropped']],
  [replace('password', 'p'), ['password-dropped']],
  [replace('schemas', [core]), ['read-only-dropped']],
  [replace('urn:acme:2.0:User:size', 1), ['unknown-schema-dropped']],
  [{ op: 'remove', path: 'emails', value: [{ value: 'a@x' }] }, ['remove-by-value']],
  [{ op: 'remove', path: 'title', value: 'T' }, []],
  [{ op: 'remove', path: ofWork, value: [{ value: 'a@x' }] }, ['remove-value-dropped']],
];

for (const [given, want] of repaired) {
  test(`a PATCH is taken and its repairs are counted: ${JSON.stringify(given)}`, () => {
    const body = 'op' in given ? { schemas: [PATCH_OP], Operations: [given] } : given;
    expect(listRepairs(body, userSchema)).toEqual(want);
  });
}

test('one operation instead of a list is taken', () => {
  const { steps } = read({ operations: replace('title', 'T') });
  expect(steps).toMatchObject([{ kind: 'set', op: 'replace', value: 'T' }]);
});

test('of the people of a group only values beside a removal are repaired', () => {
  const value = [{ value: 'u' }];
  const wanted = { add: [], replace: [], remove: ['remove-by-value'] };
  for (const [op, want] of Object.entries(wanted)) {
    const body = { schemas: [PATCH_OP], Operations: [{ op, path: 'members', value }] };
    expect(listRepairs(body, groupSchema)).toEqual(want);
  }
});
