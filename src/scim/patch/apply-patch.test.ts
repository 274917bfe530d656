import { expect, test } from 'vitest';
import type { JsonObject } from '../../domain/values.ts';
import { parsePatch } from '../dialect/parse-body.ts';
import { core, enterprise, refused, userSchema } from '../scim-test-support.ts';
import { applyPatch } from './apply-patch.ts';

const work = { value: 'ada@work.example', type: 'work', primary: true };
const home = { value: 'ada@home.example', type: 'home' };
const manager = { value: 'm1', $ref: 'http://x/m1' };

const ada: JsonObject = {
  userName: 'ada@x.example',
  active: true,
  title: 'Countess',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [work, home],
  [enterprise]: { department: 'R&D', manager },
};

/** One or several operations; attributes of `ada` that differ afterwards, undefined: no longer there. */
type PatchCase = readonly [object | readonly object[], Record<string, unknown>];

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const remove = (path: string, ...values: unknown[]) => {
  const [value] = values;
  return values.length === 0 ? { op: 'remove', path } : { op: 'remove', path, value };
};
const replaceKeys = (value: unknown) => ({ op: 'replace', value });
const addKeys = (value: unknown) => ({ op: 'add', value });

function patch(attributes: JsonObject, operations: unknown): JsonObject {
  const Operations = Array.isArray(operations) ? operations : [operations];
  const { steps } = parsePatch(
    { Operations },
    { schema: userSchema, repairs: { count: () => {} } },
  );
  return applyPatch(attributes, steps);
}

function testPatches(title: string, cases: readonly PatchCase[]): void {
  for (const [operations, want] of cases) {
    test(`${title}: ${JSON.stringify(operations)}`, () => {
      const before = structuredClone(ada);
      const after = Object.entries({ ...ada, ...want }).filter(([, value]) => value !== undefined);
      const patched = patch(ada, operations);
      expect(patched).toStrictEqual(Object.fromEntries(after));
      expect(ada, 'the input is not touched').toStrictEqual(before);
      expect(patch(patched, operations), 'again: no change').toStrictEqual(patched);
      const oneByOne = [operations].flat().reduce<JsonObject>(patch, ada);
      expect(oneByOne, 'one by one: the same').toStrictEqual(patched);
    });
  }
}

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

const attributeCases: readonly PatchCase[] = [
  [replace('title', 'T'), { title: 'T' }],
  [{ op: 'Add', path: 'nickName', value: 'Babs' }, { nickName: 'Babs' }],
  [remove('title'), { title: undefined }],
  [remove('title', 'x'), { title: undefined }],
  [remove('nickName'), {}],
  [replace('schemas', ['urn:x']), {}],
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

testPatches('PATCH', attributeCases);

test('manager and its value in two operations, reference first, keep both', () => {
  const operations = [add(`${managed}.$ref`, $ref), add(`${managed}.value`, 'm2')];
  expect(patch({ userName: 'a' }, operations)[enterprise]).toEqual({ manager: m2 });
});

const [ofWork, ofHome] = ['emails[type eq "work"]', 'emails[type eq "home"]'];
const [other, ofFax] = ['emails[type eq "other"]', 'phoneNumbers[type eq "fax"]'];
const ofTrue = 'roles[primary eq "True"]';
const toOther = (change: object) => emails(work, home, { type: 'other', ...change });
const emails = (...values: object[]) => ({ emails: values });
const plain = { value: work.value, type: 'work' };
const second = { ...work, primary: false };

const listCases: readonly PatchCase[] = [
  [replace(`${ofWork}.value`, 'n@x'), emails({ ...work, value: 'n@x' }, home)],
  [
    replaceKeys({ 'emails[type eq "work"].value': 'n@x', title: 'T' }),
    { title: 'T', emails: [{ ...work, value: 'n@x' }, home] },
  ],
  [replace(`${core}:${ofWork}.value`, 'n@x'), emails({ ...work, value: 'n@x' }, home)],
  [
    replace('phoneNumbers[type eq "mobile"].value', '1'),
    { phoneNumbers: [{ type: 'mobile', value: '1' }] },
  ],
  [
    { op: 'Add', path: 'addresses[type eq "work"].country', value: 'Belize' },
    { addresses: [{ type: 'work', country: 'Belize' }] },
  ],
  [
    [add(`${ofTrue}.display`, 'D'), add(`${ofTrue}.value`, 'V'), add(`${ofTrue}.type`, 'T')],
    { roles: [{ primary: true, display: 'D', value: 'V', type: 'T' }] },
  ],
  [
    add('ims[type eq "xmpp" and primary eq true].value', 'i'),
    { ims: [{ type: 'xmpp', primary: true, value: 'i' }] },
  ],
  [add('phoneNumbers[type eq "fax"].primary', true), {}],
  [replace(ofHome, { display: 'H' }), emails(work, { ...home, display: 'H' })],
  [replace(ofHome, 'h@x'), emails(work, { ...home, value: 'h@x' })],
  [add(other, { value: 'o@x' }), toOther({ value: 'o@x' })],
  [replace(`${ofWork}.value`, ''), emails(home)],
  [[replace(`${ofWork}.value`, null), remove(ofHome)], { emails: undefined }],
  [replace(ofWork, { display: null, primary: null }), emails(plain, home)],
  [replace(ofWork, null), emails(home)],
  [replace(ofWork, {}), emails(home)],
  [replace(other, { display: null }), {}],
  [replace('ims[type eq "xmpp"].value', ''), {}],
  [add('roles[type eq "a\\"]b"].display', 'D'), { roles: [{ type: 'a"]b', display: 'D' }] }],
  [{ op: 'Remove', path: ofWork }, emails(home)],
  [remove(`${ofHome}.value`), emails(work)],
  [remove(other), {}],
  [remove(`${ofWork}.primary`), emails(plain, home)],
  [
    add(other, { value: 'z@x', primary: true }),
    emails(second, home, { type: 'other', value: 'z@x', primary: true }),
  ],
  [replace(`${other}.primary`, true), {}],
  [add('emails', [{ type: 'other', primary: true }]), {}],
  [
    [replace(`${other}.primary`, true), replace(`${ofHome}.primary`, true)],
    emails(second, { ...home, primary: true }),
  ],
  [add(`${other}.value`, 'z@x'), toOther({ value: 'z@x' })],
  [replace('emails[primary eq false].display', 'H'), emails(work, { ...home, display: 'H' })],
  [remove('emails.type'), emails({ value: work.value, primary: true }, { value: home.value })],
  [replace('emails.primary', true), emails(second, { ...home, primary: true })],
  [replace('emails.display', 'D'), emails({ ...work, display: 'D' }, { ...home, display: 'D' })],
  [add('ims.value', 'i'), { ims: [{ value: 'i' }] }],
  [replace(`${ofHome}.primary`, 'true'), emails(second, { ...home, primary: true })],
  [add('emails', [{ value: 'o@x', type: 'other' }]), toOther({ value: 'o@x' })],
  [add('emails', { value: 'o@x' }), emails(work, home, { value: 'o@x' })],
  [
    add('emails', [work, { value: 'ADA@home.example', type: 'home' }]),
    emails(work, { ...home, value: 'ADA@home.example' }),
  ],
  [
    add('emails', [{ value: 'o@x', primary: true }]),
    emails(second, home, { value: 'o@x', primary: true }),
  ],
  [addKeys({ emails: [{ value: 'o@x' }] }), emails(work, home, { value: 'o@x' })],
  [add('emails', []), {}],
  [replace('emails', [{ value: 'o@x' }]), emails({ value: 'o@x' })],
  [replaceKeys({ emails: [{ value: 'o@x' }] }), emails({ value: 'o@x' })],
  [replace('emails', [{ type: 'work' }]), { emails: undefined }],
  [replace('emails', []), { emails: undefined }],
  [remove('emails'), { emails: undefined }],
  [remove('emails', [{ value: 'ADA@work.example' }]), emails(home)],
  [remove('emails', [{ value: 'ada@work.example', type: 'home' }]), {}],
  [remove('emails', home.value), emails(work)],
  [remove('emails', null), { emails: undefined }],
  [remove('emails', [{ type: 'work' }]), {}],
  [remove(ofWork, [{ value: 'n@x' }]), emails(home)],
  [remove(`${ofWork}.primary`, [{ value: 'n@x' }]), emails(plain, home)],
  [remove('emails', []), {}],
  [
    { op: 'Add', path: 'roles', value: [{ value: '{"id":"1","value":"A","displayName":"AA"}' }] },
    { roles: [{ value: 'A', display: 'AA' }] },
  ],
];

testPatches('PATCH of a list', listCases);

test('a part that comes before its value waits for it within one PATCH', () => {
  const phone = patch(ada, [add(`${ofFax}.primary`, 'True'), add(`${ofFax}.value`, '2')]);
  expect(phone.phoneNumbers).toEqual([{ type: 'fax', primary: true, value: '2' }]);
});

test('a list holds a thousand values and no more', () => {
  const values = (from: number, length: number) =>
    Array.from({ length }, (_, i) => `${from + i}@x`);
  const operations = [add('emails', values(0, 600)), add('emails', values(1_000, 398))];

  expect(patch(ada, operations).emails).toHaveLength(1_000);
  expect(() => patch(ada, [...operations, add('emails', 'one@x')])).toThrow(
    refused('invalidValue', 'emails would have more than 1000 values.'),
  );
});

const noValue = 'value eq "nomatch@x"';
for (const filter of [noValue, `type eq "work" and ${noValue}`, 'display eq "D"']) {
  const parts = { '.primary': true, '.value': 'n@x', '': { display: 'N' } };
  for (const [part, value] of Object.entries(parts)) {
    for (const [verb, toStep] of Object.entries({ 'a replacement': replace, 'an addition': add })) {
      test(`${verb} where a filter finds nothing has no target: emails[${filter}]${part}`, () => {
        const step = toStep(`emails[${filter}]${part}`, value);
        expect(() => patch(ada, step)).toThrow(refused('noTarget'));
      });
    }
  }
}

test('a kind of value that is not there is made by a replacement, as providers expect', () => {
  expect(patch(ada, replace('ims[type eq "xmpp" and primary eq true].value', 'i')).ims).toEqual([
    { type: 'xmpp', primary: true, value: 'i' },
  ]);
  expect(patch(ada, replace('roles[primary eq "True"].value', 'r')).roles).toEqual([
    { primary: true, value: 'r' },
  ]);
});

test('a filter that finds nothing and does not say what to create has no target', () => {
  const filters = [
    'type ne "work" and type ne "home"',
    'type eq "other" or type eq "fax"',
    'type eq "other" and value sw "x"',
  ];
  for (const filter of filters) {
    expect(() => patch(ada, replace(`emails[${filter}].value`, 'x@x'))).toThrow(
      refused('noTarget', 'No value of emails fits the filter.'),
    );
  }
});
