import { expect, test } from 'vitest';
import type { RepairKind } from '../repairs.ts';
import { core, enterprise, refused, userSchema } from '../scim-test-support.ts';
import { parsePath } from './parse-body.ts';

const silent = { count: () => {} };

/** The path of an operation; the names that lead to what it points at; what a filter compares with. */
const read: readonly (readonly [string, readonly string[], string?])[] = [
  ['title', ['title']],
  [' TITLE ', ['title']],
  ['name.givenName', ['name', 'givenName']],
  [`${core}:name.givenName`, ['name', 'givenName']],
  ['manager', [enterprise, 'manager']],
  [`${enterprise}:manager.value`, [enterprise, 'manager', 'value']],
  [`${core}.userName`, ['userName']],
  [`${enterprise.toUpperCase()}.manager.value`, [enterprise, 'manager', 'value']],
  [`${core}.emails[type eq "work"].value`, ['emails', 'value'], 'work'],
  ['emails', ['emails']],
  ['emails.value', ['emails', 'value']],
  ['emails[type eq "work"]', ['emails'], 'work'],
  ['emails[type eq "work"].value', ['emails', 'value'], 'work'],
  [`${core}:emails[type eq "work"].value`, ['emails', 'value'], 'work'],
  ['emails [ type eq "work" ] .value', ['emails', 'value'], 'work'],
  ['emails[type eq "a]b"].value', ['emails', 'value'], 'a]b'],
  ['emails[type eq "a\\"]b"].value', ['emails', 'value'], 'a"]b'],
];

for (const [path, keys, literal] of read) {
  test(`a path is read: ${path}`, () => {
    const where = literal === undefined ? undefined : expect.objectContaining({ literal });
    const target = { path: expect.objectContaining({ keys }), where };
    expect(parsePath(path, userSchema, silent)).toEqual({ kind: 'attribute', target });
  });
}

for (const urn of [core, enterprise, enterprise.toUpperCase()]) {
  test(`the URN of a schema is a path: ${urn}`, () => {
    const table = { urn: urn === core ? core : enterprise };
    expect(parsePath(urn, userSchema, silent)).toMatchObject({ kind: 'schema', table });
  });
}

const forgotten: readonly (readonly [string, RepairKind[]])[] = [
  ['password', ['password-dropped']],
  ['schemas', ['read-only-dropped']],
  ['shoeSize', ['unknown-attribute-dropped']],
  ['name.x', ['unknown-attribute-dropped']],
  ['emails[type eq "work"].x', ['unknown-attribute-dropped']],
  [`${core}:shoeSize`, ['unknown-attribute-dropped']],
  ['a'.repeat(10_000), ['unknown-attribute-dropped']],
  ['urn:acme:custom:2.0:User:size', ['unknown-schema-dropped']],
  ['urn:acme:custom:2.0:User', ['unknown-schema-dropped']],
  [`${enterprise}:shoeSize`, ['unknown-attribute-dropped']],
  [`${enterprise}:shoes[size eq 42]`, ['unknown-attribute-dropped']],
  [`${enterprise}.shoeSize`, ['unknown-attribute-dropped']],
];

for (const [path, repairs] of forgotten) {
  test(`what is accepted and forgotten is counted: ${path}`, () => {
    const kinds: RepairKind[] = [];
    const parsed = parsePath(path, userSchema, { count: (kind) => kinds.push(kind) });
    expect(parsed).toEqual({ kind: 'dropped' });
    expect(kinds).toEqual(repairs);
  });
}

const malformed = 'is malformed';
const noList = 'has a filter on something that is no list';

const refusals: readonly (readonly [string, string, string])[] = [
  ['a bracket that closes before it opens', 'a][x eq 1]', malformed],
  ['a path that is longer', 'a'.repeat(10_001), 'is too long'],
  ['a bracket that does not close', 'emails[type eq "work"', malformed],
  ['a bracket inside a text that does not end', 'emails[type eq "work]', malformed],
  ['a bracket at the end', 'a[', malformed],
  ['a part with a bracket that does not close', '.a[b', malformed],
  ['something after the bracket', 'emails[type eq "work"]x', malformed],
  ['a filter on what is no list', 'name[x eq 1]', noList],
  ['a filter on a schema', `${enterprise}[department eq "D"]`, noList],
  ['a filter on the core schema', `${core}[title eq "T"]`, noList],
];

for (const [why, path, problem] of refusals) {
  test(`a path is refused: ${why}`, () => {
    const refusal = refused('invalidPath', `The path ${problem}.`);
    expect(() => parsePath(path, userSchema, silent)).toThrow(refusal);
  });
}

for (const path of ['id', 'meta.version', 'groups', `${enterprise}:manager.displayName`]) {
  test(`what is read-only cannot be written: ${path}`, () => {
    const refusal = refused('mutability', `${path} is read-only.`);
    expect(() => parsePath(path, userSchema, silent)).toThrow(refusal);
  });
}

const mistaken = ['valu ne "x"', 'not (tipe eq "work")', 'id eq null', 'type eq "work" or foo pr'];
for (const filter of ['work', '', '__proto__ eq "x"', ...mistaken]) {
  test(`the filter of a path is refused as every other: [${filter}]`, () => {
    const parse = () => parsePath(`emails[${filter}].value`, userSchema, silent);
    expect(parse).toThrow(refused('invalidFilter'));
  });
}

test('a mistaken name in the filter of a path is told with its list and its place', () => {
  const parse = () => parsePath('emails[type eq "work" and valu pr]', userSchema, silent);
  expect(parse).toThrow('a name that is no part of emails at character 20');
});
