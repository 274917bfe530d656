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
  [replace('title', 'T'), { title: 'T' }],
  [{ op: 'Add', path: 'nickName', value: 'Babs' }, { nickName: 'Babs' }],
  [remove('title'), { title: undefined }],
  [remove('title', 'x'), { title: undefined }],
  [remove('nickName'), {}],
  [replace('title', null), { title: undefined }],
  [replace('title', ''), { title: undefined }],
  [replace('DisplayName', 'A'), { displayName: 'A' }],
  [replace(`${core}:title`, 'T'), { title: 'T' }],
  [replace('name.givenName', ['X']), { name: { givenName: 'X', familyName: 'Lovelace' } }],
  [{ op: 'Replace', path: 'active', value: 'False' }, { active: false }],
  [replace('active', ''), {}],
  [remove('active'), {}],
  [replaceKeys({ active: false, id: 'x', password: 'p' }), { active: false }],
  [replaceKeys([{ active: false }]), { active: false }],
  [replace('', { title: 'T' }), { title: 'T' }],
  [{ Op: 'Replace', Path: 'title', Value: 'T' }, { title: 'T' }],
  [replace('name', { familyName: 'King' }), { name: { givenName: 'Ada', familyName: 'King' } }],
  [
    replace('name', { familyName: null, middleName: 'B' }),
    { name: { givenName: 'Ada', middleName: 'B' } },
  ],
  [replace('name', { givenName: null }), { name: { familyName: 'Lovelace' } }],
  [add('name', { middleName: '' }), {}],
  [replaceKeys({ name: { givenName: null, familyName: '' } }), { name: undefined }],
  [[remove('name'), replace('name', { givenName: null })], { name: undefined }],
  [replace('name', {}), { name: undefined }],
  [[add('name', {}), add('manager', {}), add('title', [])], {}],
  [remove('name.givenName'), { name: { familyName: 'Lovelace' } }],
  [
    add('name', 'Ada King'),
    { name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada King' } },
  ],
  [
    replaceKeys({ name: { familyName: 'King' } }),
    { name: { givenName: 'Ada', familyName: 'King' } },
  ],
  [
    replaceKeys({ 'name.familyName': 'King', 'name.formatted': 'Ada King' }),
    { name: { givenName: 'Ada', familyName: 'King', formatted: 'Ada King' } },
  ],
  [[remove('name.givenName'), remove('name.familyName')], { name: undefined }],
  [remove('name'), { name: undefined }],
  [[remove('externalId'), add('externalId', 'a'), replace('externalId', 'b')], { externalId: 'b' }],
  [
    { op: 'Add', path: `${enterprise}:department`, value: 'Retail' },
    { [enterprise]: { department: 'Retail', manager } },
  ],
  [
    replaceKeys({ [`${enterprise}:department`]: 'D', [`${enterprise}:division`]: 'V' }),
    { [enterprise]: { department: 'D', division: 'V', manager } },
  ],
  [
    addKeys({ [enterprise]: { division: 'V' } }),
    { [enterprise]: { department: 'R&D', division: 'V', manager } },
  ],
  [replace(enterprise, { department: 'D' }), { [enterprise]: { department: 'D', manager } }],
  [remove(enterprise), { [enterprise]: undefined }],
  [replaceKeys({ [enterprise]: null }), { [enterprise]: undefined }],
  [replaceKeys({ [core]: null }), {}],
  [replace(enterprise, ''), { [enterprise]: undefined }],
  [replace(enterprise, null), { [enterprise]: undefined }],
  [[remove(enterprise), add(`${enterprise}:division`, 'V')], { [enterprise]: { division: 'V' } }],
  [replace(' title ', 'T'), { title: 'T' }],
  [replace(' ', { title: 'T' }), { title: 'T' }],
  [{ op: 'add', path: null, value: { title: 'T' } }, { title: 'T' }],
  [{ op: ' add', path: 'title', value: 'T' }, { title: 'T' }],
  [replace(core, { title: 'T' }), { title: 'T' }],
  [
    replace(`${enterprise}:manager`, 'm2'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  ],
  [
    replace(`${enterprise}:manager.value`, 'm2'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm2' } } },
  ],
  [replace(`${enterprise}:manager.value`, 'm1'), {}],
  [
    replace(`${enterprise}:manager`, { $ref: null }),
    { [enterprise]: { department: 'R&D', manager: { value: 'm1' } } },
  ],
  [
    replace(`${enterprise}:manager`, { $ref: 'http://x/m2' }),
    { [enterprise]: { department: 'R&D', manager: { $ref: 'http://x/m2' } } },
  ],
  [
    replace(`${enterprise}:manager.$ref`, 'https://y/z/m1'),
    { [enterprise]: { department: 'R&D', manager: { value: 'm1', $ref: 'https://y/z/m1' } } },
  ],
  [
    [
      replace(`${enterprise}:manager.$ref`, 'http://x/m2'),
      replace(`${enterprise}:manager.value`, 'm2'),
    ],
    { [enterprise]: { department: 'R&D', manager: { value: 'm2', $ref: 'http://x/m2' } } },
  ],
  [
    { op: 'Add', path: 'manager', value: [{ $ref: 'http://x/m2', value: 'm2' }] },
    { [enterprise]: { department: 'R&D', manager: { value: 'm2', $ref: 'http://x/m2' } } },
  ],
  [replace(`${enterprise}:manager`, ''), { [enterprise]: { department: 'R&D' } }],
  [replace(`${enterprise}:manager`, null), { [enterprise]: { department: 'R&D' } }],
  [replace(`${enterprise}:manager`, { value: '' }), { [enterprise]: { department: 'R&D' } }],
  [remove(`${enterprise}:manager.value`), { [enterprise]: { department: 'R&D' } }],
  [[replace('urn:acme:custom:2.0:User:size', 1), replace('title', 'T')], { title: 'T' }],
  [add(`${enterprise}:extensionAttribute1`, 'x'), {}],
  [replaceKeys({ shoeSize: 1, title: 'T', meta: {}, groups: [] }), { title: 'T' }],
  [replace('password', 'p'), {}],
  [replace('schemas', [core]), {}],
];

for (const row of cases) {
  const [operations] = row;
  test(`PATCH: ${JSON.stringify(operations)}`, () => {
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
