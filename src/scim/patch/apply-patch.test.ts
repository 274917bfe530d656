import { expect, test } from 'vitest';
import {
  add,
  addKeys,
  core,
  enterprise,
  manager,
  type PatchCase,
  patch,
  remove,
  replace,
  replaceKeys,
  testPatches,
} from './patch-test-support.ts';

const department = 'R&D';
const extension = (value: object | undefined) => ({ [enterprise]: value });
const named = (name: object) => ({ name });
const ofDepartment = `${enterprise}:department`;
const [middle, division] = [{ middleName: 'B' }, { division: 'V' }];
const lovelace = { givenName: 'Ada', familyName: 'Lovelace' };
const $ref = 'http://x/m2';
const m2 = { value: 'm2', $ref };
const by = (manager: object) => extension({ department, manager });
const managed = `${enterprise}:manager`;

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
  [replace('name.givenName', ['X']), named({ givenName: 'X', familyName: 'Lovelace' })],
  [{ op: 'Replace', path: 'active', value: 'False' }, { active: false }],
  [replace('active', ''), {}],
  [remove('active'), {}],
  [replaceKeys({ active: false, id: 'x', password: 'p' }), { active: false }],
  [replaceKeys([{ active: false }]), { active: false }],
  [replace('', { title: 'T' }), { title: 'T' }],
  [{ Op: 'Replace', Path: 'title', Value: 'T' }, { title: 'T' }],
  [replace('name', { familyName: 'King' }), named({ givenName: 'Ada', familyName: 'King' })],
  [replace('name', { familyName: null, ...middle }), named({ givenName: 'Ada', ...middle })],
  [replace('name', { givenName: null }), named({ familyName: 'Lovelace' })],
  [add('name', { middleName: '' }), {}],
  [replaceKeys({ name: { givenName: null, familyName: '' } }), { name: undefined }],
  [[remove('name'), replace('name', { givenName: null })], { name: undefined }],
  [replace('name', {}), { name: undefined }],
  [[add('name', {}), add('manager', {}), add('title', [])], {}],
  [remove('name.givenName'), named({ familyName: 'Lovelace' })],
  [add('name', 'Ada King'), named({ ...lovelace, formatted: 'Ada King' })],
  [replaceKeys({ name: { familyName: 'King' } }), named({ givenName: 'Ada', familyName: 'King' })],
  [
    replaceKeys({ 'name.familyName': 'King', 'name.formatted': 'Ada King' }),
    named({ givenName: 'Ada', familyName: 'King', formatted: 'Ada King' }),
  ],
  [[remove('name.givenName'), remove('name.familyName')], { name: undefined }],
  [remove('name'), { name: undefined }],
  [[remove('externalId'), add('externalId', 'a'), replace('externalId', 'b')], { externalId: 'b' }],
  [
    { op: 'Add', path: ofDepartment, value: 'Retail' },
    extension({ department: 'Retail', manager }),
  ],
  [
    replaceKeys({ [ofDepartment]: 'D', [`${enterprise}:division`]: 'V' }),
    extension({ department: 'D', ...division, manager }),
  ],
  [addKeys({ [enterprise]: division }), extension({ department, ...division, manager })],
  [replace(enterprise, { department: 'D' }), extension({ department: 'D', manager })],
  [remove(enterprise), extension(undefined)],
  [replaceKeys({ [enterprise]: null }), extension(undefined)],
  [replaceKeys({ [core]: null }), {}],
  [replace(enterprise, ''), extension(undefined)],
  [replace(enterprise, null), extension(undefined)],
  [[remove(enterprise), add(`${enterprise}:division`, 'V')], { [enterprise]: { division: 'V' } }],
  [replace(' title ', 'T'), { title: 'T' }],
  [replace(' ', { title: 'T' }), { title: 'T' }],
  [{ op: 'add', path: null, value: { title: 'T' } }, { title: 'T' }],
  [{ op: ' add', path: 'title', value: 'T' }, { title: 'T' }],
  [replace(core, { title: 'T' }), { title: 'T' }],
  [replace(managed, 'm2'), extension({ department, manager: { value: 'm2' } })],
  [replace(`${managed}.value`, 'm2'), extension({ department, manager: { value: 'm2' } })],
  [replace(`${managed}.value`, 'm1'), {}],
  [replace(managed, { $ref: null }), extension({ department, manager: { value: 'm1' } })],
  [replace(managed, { $ref }), extension({ department, manager: { $ref } })],
  [replace(`${managed}.$ref`, 'https://y/z/m1'), by({ value: 'm1', $ref: 'https://y/z/m1' })],
  [[replace(`${managed}.$ref`, $ref), replace(`${managed}.value`, 'm2')], by(m2)],
  [{ op: 'Add', path: 'manager', value: [{ $ref, value: 'm2' }] }, by(m2)],
  [replace(managed, ''), extension({ department })],
  [replace(managed, null), extension({ department })],
  [replace(managed, { value: '' }), extension({ department })],
  [remove(`${managed}.value`), extension({ department })],
  [[replace('urn:acme:custom:2.0:User:size', 1), replace('title', 'T')], { title: 'T' }],
  [add(`${enterprise}:extensionAttribute1`, 'x'), {}],
  [replaceKeys({ shoeSize: 1, title: 'T', meta: {}, groups: [] }), { title: 'T' }],
  [replace('password', 'p'), {}],
  [replace('schemas', [core]), {}],
];

testPatches('PATCH', cases);

test('manager and its value in two operations, reference first, keep both', () => {
  const operations = [add(`${managed}.$ref`, $ref), add(`${managed}.value`, 'm2')];
  expect(patch({ userName: 'a' }, operations)[enterprise]).toEqual({ manager: m2 });
});
