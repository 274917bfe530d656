import { expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { groupSchema, refused } from '../scim-test-support.ts';
import { parsePatch } from './parse-body.ts';
import { isAttributeStep } from './to-steps.ts';

const repairs = { count: () => {} };
const admins = `${GROUP_EXTENSION}:admins`;
const permissions = `${GROUP_EXTENSION}:permissions`;

function changes(...operations: unknown[]) {
  const { steps } = parsePatch({ Operations: operations }, { schema: groupSchema, repairs });
  const edits = steps.flatMap((step) => {
    if (isAttributeStep(step)) return [];
    if (step.kind === 'users') return [[`${step.list}s`, step.op, ...step.ids.keys()].join(' ')];
    return [`${step.list}s removeWhere ${step.filter.kind}`];
  });
  return { edits, set: applyPatch({}, steps) };
}

const add = (path: string, ...value: unknown[]) => ({ op: 'add', path, value });
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value });
const replace = (path: string, value?: unknown) => ({ op: 'replace', path, value });
const u1 = { value: 'u1' };
const twoAdded = add('members', { $ref: null, ...u1 }, { value: 'u2' });
const either = 'value eq "u1" or value eq "u2"';
const injected = 'x" or value pr or value eq "';

const cases: readonly [why: string, operations: unknown[], ...edits: string[]][] = [
  ['add (Entra, Okta)', [{ ...twoAdded, op: 'Add' }], 'members add u1 u2'],
  ['an array (Entra legacy)', [{ ...remove('members', [u1]), op: 'Remove' }], 'members remove u1'],
  ['a filter (Okta, Entra)', [remove('members[value eq "u1"]')], 'members remove u1'],
  ['a filter that names several', [remove(`members[${either}]`)], 'members remove u1 u2'],
  ['remove without value empties', [remove('members')], 'members replace'],
  ['remove of null empties', [remove('members', null)], 'members replace'],
  ['remove of the id of one', [remove('members[value eq "u1"].value')], 'members remove u1'],
  [
    'remove of an id of digits, as it is written',
    [remove('members[value eq 12345678901234567890]')],
    'members remove 12345678901234567890',
  ],
  ['remove of an empty value array removes nobody', [remove('members', [])]],
  ['add of nobody', [add('members')]],
  ['an address alone', [add('members', { $ref: 'http://x/Users/u1' })], 'members add u1'],
  ['an address, and spaces', [add('members', '../Users/u1', 'u2 ')], 'members add u1 u2'],
  ['replace', [replace('members', [u1])], 'members replace u1'],
  ['replace by null (Entra)', [{ ...replace('members', null), op: 'Replace' }], 'members replace'],
  ['replace by none empties', [replace('members', [])], 'members replace'],
  ['pathless add (WSO2)', [{ op: 'add', value: { members: [u1] } }], 'members add u1'],
  ['pathless replace (Okta)', [{ op: 'replace', value: { members: [u1] } }], 'members replace u1'],
  [
    'add and remove of the same one stay two changes in order',
    [add('members', u1), remove('members[value eq "u1"]')],
    'members add u1',
    'members remove u1',
  ],
  [
    'two replacements stay two: the last one counts',
    [replace('members', [u1]), replace('members', [{ value: 'u2' }])],
    'members replace u1',
    'members replace u2',
  ],
  [
    'admins, like members',
    [add(admins, u1), remove(`${admins}[value eq "u2"]`)],
    'admins add u1',
    'admins remove u2',
  ],
  [
    'an attempt to inject a filter removes that one id',
    [remove('members', [{ value: injected }])],
    `members remove ${injected}`,
  ],
  ...[
    ['display sw "A"', 'compare'],
    ['display eq "A"', 'compare'],
    ['value ne "u1"', 'compare'],
    ['value co "u1"', 'compare'],
    ['value pr', 'present'],
    ['not (value eq "u1")', 'not'],
    ['value eq "u1" and display eq "A"', 'and'],
    ['value eq "u1" or display eq "A"', 'or'],
    ['value eq "u1" or (value eq "u2" and display eq "A")', 'or'],
  ].map(([filter, kind]): [string, unknown[], string] => [
    `whom any other filter finds is not known yet: ${filter}`,
    [remove(`members[${filter}]`)],
    `members removeWhere ${kind}`,
  ]),
];

for (const [why, operations, ...edits] of cases) {
  test(`PATCH of people: ${why}`, () => {
    expect(changes(...operations)).toEqual({ edits, set: {} });
    expect(
      operations.flatMap((one) => changes(one).edits),
      'one by one',
    ).toEqual(edits);
  });
}

test('a rename with an echoed id (Okta), and one beside members', () => {
  const set = { displayName: 'N' };
  expect(changes({ op: 'replace', value: { id: 'g', ...set } })).toEqual({ edits: [], set });
  const both = [replace('displayName', 'N'), replace('externalId', 'e'), add('members', u1)];
  expect(changes(...both)).toEqual({ edits: ['members add u1'], set: { ...set, externalId: 'e' } });
});

test('the extension, by its path and as an object', () => {
  const value = { [GROUP_EXTENSION]: { addToCardsAndSpacesEnabled: 'True' } };
  const { set } = changes(replace(permissions, '16'), { op: 'replace', value });
  const extension = { permissions: 16, addToCardsAndSpacesEnabled: true };
  expect(set).toEqual({ [GROUP_EXTENSION]: extension });
});

const one = 'members[value eq "u1"]';
const fixed = 'members are added by value and removed, never changed.';
const needsId = 'Value 1 of members: Each of the members needs a value: the id of a user.';

for (const [operation, scimType, message] of [
  [add('members', { display: 'x' }), 'invalidValue', needsId],
  [replace('members'), 'invalidValue', 'The replace of members has no value.'],
  [{ op: 'add', path: admins }, 'invalidValue', 'The add of admins has no value.'],
  [remove(`${one}.type`), 'mutability', fixed],
  [{ op: 'add', path: one, value: u1 }, 'mutability', fixed],
  [replace(one, { value: 'u2' }), 'mutability', fixed],
  [replace(`${one}.display`, 'x'), 'mutability', 'members.display is read-only.'],
  [remove('members.value'), 'mutability', 'members change as a whole, not by value.'],
  [replace('displayName', { x: 1 }), 'invalidValue', 'The value of displayName is not a text.'],
  [{ op: 'replace', value: { displayName: null } }, 'invalidValue', 'displayName cannot be blank.'],
  [replace('displayName', ''), 'invalidValue', 'displayName cannot be blank.'],
  [remove('displayName'), 'mutability', 'displayName cannot be removed.'],
  [replace(permissions, 'all'), 'invalidValue', 'The value of permissions is no integer.'],
] as const) {
  test(`a PATCH of a group is refused: ${JSON.stringify(operation)}`, () => {
    expect(() => changes(operation)).toThrow(refused(scimType, message));
  });
}
