import { expect, test } from 'vitest';
import {
  ada,
  add,
  addKeys,
  core,
  enterprise,
  expected,
  manager,
  type PatchCase,
  patch,
  remove,
  replace,
  replaceKeys,
} from './patch-test-support.ts';

const cases: readonly PatchCase[] = [
  ['replace of one value', replace('title', 'T'), { title: 'T' }],
  ['add of one value', { op: 'Add', path: 'nickName', value: 'Babs' }, { nickName: 'Babs' }],
  ['remove of one value', remove('title'), { title: undefined }],
  ['remove with a needless value', remove('title', 'x'), { title: undefined }],
  ['remove of what is not there', remove('nickName'), {}],
  ['null unassigns', replace('title', null), { title: undefined }],
  ['"" unassigns', replace('title', ''), { title: undefined }],
  ['a name in odd case', replace('DisplayName', 'A'), { displayName: 'A' }],
  ['a path with the core URN', replace(`${core}:title`, 'T'), { title: 'T' }],
  [
    'a scalar in an array',
    replace('name.givenName', ['X']),
    { name: { givenName: 'X', familyName: 'Lovelace' } },
  ],
  ['active as text', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
  ['active that is blank switches nothing', replace('active', ''), {}],
  ['active cannot be removed', remove('active'), {}],
  ['pathless', replaceKeys({ active: false, id: 'x', password: 'p' }), { active: false }],
  ['pathless in an array', replaceKeys([{ active: false }]), { active: false }],
  ['pathless with an empty path', replace('', { title: 'T' }), { title: 'T' }],
  ['member names in odd case', { Op: 'Replace', Path: 'title', Value: 'T' }, { title: 'T' }],
  [
    'replace of an object merges',
    replace('name', { familyName: 'King' }),
    { name: { givenName: 'Ada', familyName: 'King' } },
  ],
  [
    'null in an object unassigns that part',
    replace('name', { familyName: null, middleName: 'B' }),
    { name: { givenName: 'Ada', middleName: 'B' } },
  ],
  [
    'null in one part leaves the others',
    replace('name', { givenName: null }),
    { name: { familyName: 'Lovelace' } },
  ],
  ['a blank part that was never there changes nothing', add('name', { middleName: '' }), {}],
  [
    'null in every part takes the object along',
    replaceKeys({ name: { givenName: null, familyName: '' } }),
    { name: undefined },
  ],
  [
    'parts without value of an object that is not there make none',
    [remove('name'), replace('name', { givenName: null })],
    { name: undefined },
  ],
  ['an empty object unassigns', replace('name', {}), { name: undefined }],
  ['nothing is added', [add('name', {}), add('manager', {}), add('title', [])], {}],
  [
    'one part is removed, the others stay',
    remove('name.givenName'),
    { name: { familyName: 'Lovelace' } },
  ],
  [
    'a text for a name is how it is written',
    add('name', 'Ada King'),
    { name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada King' } },
  ],
  [
    'pathless merges objects too',
    replaceKeys({ name: { familyName: 'King' } }),
    { name: { givenName: 'Ada', familyName: 'King' } },
  ],
  [
    'dotted keys',
    replaceKeys({ 'name.familyName': 'King', 'name.formatted': 'Ada King' }),
    { name: { givenName: 'Ada', familyName: 'King', formatted: 'Ada King' } },
  ],
  [
    'removing the parts one by one removes the object',
    [remove('name.givenName'), remove('name.familyName')],
    { name: undefined },
  ],
  ['remove of an object', remove('name'), { name: undefined }],
  [
    'operations in order',
    [remove('externalId'), add('externalId', 'a'), replace('externalId', 'b')],
    { externalId: 'b' },
  ],
  [
    'an extension attribute',
    { op: 'Add', path: `${enterprise}:department`, value: 'Retail' },
    { [enterprise]: { department: 'Retail', manager } },
  ],
  [
    'extension keys without a path',
    replaceKeys({ [`${enterprise}:department`]: 'D', [`${enterprise}:division`]: 'V' }),
    { [enterprise]: { department: 'D', division: 'V', manager } },
  ],
  [
    'an extension object without a path',
    addKeys({ [enterprise]: { division: 'V' } }),
    { [enterprise]: { department: 'R&D', division: 'V', manager } },
  ],
  [
    'an extension as the path',
    replace(enterprise, { department: 'D' }),
    { [enterprise]: { department: 'D', manager } },
  ],
  ['remove of an extension', remove(enterprise), { [enterprise]: undefined }],
  ['null for an extension', replaceKeys({ [enterprise]: null }), { [enterprise]: undefined }],
  ['null for the core schema', replaceKeys({ [core]: null }), {}],
  ['"" for an extension as the path', replace(enterprise, ''), { [enterprise]: undefined }],
  ['null for an extension as the path', replace(enterprise, null), { [enterprise]: undefined }],
  [
    'an extension that was not there',
    [remove(enterprise), add(`${enterprise}:division`, 'V')],
    { [enterprise]: { division: 'V' } },
  ],
  ['a path with space around it', replace(' title ', 'T'), { title: 'T' }],
  ['a blank path is none', replace(' ', { title: 'T' }), { title: 'T' }],
  ['a path of null is none', { op: 'add', path: null, value: { title: 'T' } }, { title: 'T' }],
  ['an op with space around it', { op: ' add', path: 'title', value: 'T' }, { title: 'T' }],
  ['the core schema with an object', replace(core, { title: 'T' }), { title: 'T' }],
  [
    'the manager as text',
    replace(`${enterprise}:manager`, 'm2'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  ],
  [
    'the manager by its value',
    replace(`${enterprise}:manager.value`, 'm2'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  ],
  [
    'the same manager again keeps what is known of it',
    replace(`${enterprise}:manager.value`, 'm1'),
    {},
  ],
  [
    'a part of the manager that is unassigned',
    replace(`${enterprise}:manager`, { $ref: null }),
    { [enterprise]: { department: 'R&D', manager: { value: 'm1' } } },
  ],
  [
    'the address of another manager alone',
    replace(`${enterprise}:manager`, { $ref: 'http://x/m2' }),
    { [enterprise]: { department: 'R&D', manager: { $ref: 'http://x/m2' } } },
  ],
  [
    'the address of the same manager',
    replace(`${enterprise}:manager.$ref`, 'https://y/z/m1'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm1', $ref: 'https://y/z/m1' } } },
  ],
  [
    'another manager by its address, then by its value',
    [
      replace(`${enterprise}:manager.$ref`, 'http://x/m2'),
      replace(`${enterprise}:manager.value`, 'm2'),
    ],
    { [enterprise]: { department: 'R&D', manager: { value: 'm2', $ref: 'http://x/m2' } } },
  ],
  [
    'the manager in an array, bare',
    { op: 'Add', path: 'manager', value: [{ $ref: 'http://x/m2', value: 'm2' }] },
    { [enterprise]: { department: 'R&D', manager: { value: 'm2', $ref: 'http://x/m2' } } },
  ],
  [
    'the manager cleared by ""',
    replace(`${enterprise}:manager`, ''),
    { [enterprise]: { department: 'R&D' } },
  ],
  [
    'the manager cleared by null',
    replace(`${enterprise}:manager`, null),
    { [enterprise]: { department: 'R&D' } },
  ],
  [
    'the manager cleared by a blank value',
    replace(`${enterprise}:manager`, { value: '' }),
    { [enterprise]: { department: 'R&D' } },
  ],
  [
    'the manager cleared by its value',
    remove(`${enterprise}:manager.value`),
    { [enterprise]: { department: 'R&D' } },
  ],
  [
    'an unknown extension is dropped',
    [replace('urn:acme:custom:2.0:User:size', 1), replace('title', 'T')],
    { title: 'T' },
  ],
  [
    'an unknown attribute of a known extension is dropped',
    add(`${enterprise}:extensionAttribute1`, 'x'),
    {},
  ],
  [
    'unknown keys without a path are dropped',
    replaceKeys({ shoeSize: 1, title: 'T', meta: {}, groups: [] }),
    { title: 'T' },
  ],
  ['a password is dropped', replace('password', 'p'), {}],
  ['schemas are not stored', replace('schemas', [core]), {}],
];

for (const row of cases) {
  const [why, operations] = row;
  test(`PATCH: ${why}`, () => {
    const before = structuredClone(ada);
    const patched = patch(ada, operations);
    expect(patched).toStrictEqual(expected(row));
    expect(ada, 'the input is not touched').toStrictEqual(before);
    expect(patch(patched, operations), 'again: no change').toStrictEqual(patched);
  });
}

test('manager and its value in two operations, reference first, keep both', () => {
  const patched = patch({ userName: 'a' }, [
    add(`${enterprise}:manager.$ref`, 'http://x/m2'),
    add(`${enterprise}:manager.value`, 'm2'),
  ]);
  expect(patched[enterprise]).toEqual({ manager: { value: 'm2', $ref: 'http://x/m2' } });
});
