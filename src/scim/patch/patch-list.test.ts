import { expect, test } from 'vitest';
import { refused } from '../refused-test-support.ts';
import {
  ada,
  add,
  addKeys,
  core,
  home,
  type PatchCase,
  patch,
  remove,
  replace,
  replaceKeys,
  testPatches,
  work,
} from './patch-test-support.ts';

const [ofWork, ofHome] = ['emails[type eq "work"]', 'emails[type eq "home"]'];
const [other, ofFax] = ['emails[type eq "other"]', 'phoneNumbers[type eq "fax"]'];
const ofTrue = 'roles[primary eq "True"]';
const toOther = (change: object) => emails(work, home, { type: 'other', ...change });
const emails = (...values: object[]) => ({ emails: values });
const plain = { value: work.value, type: 'work' };
const second = { ...work, primary: false };

const cases: readonly PatchCase[] = [
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
    [add(`${ofFax}.primary`, 'True'), add(`${ofFax}.value`, '2')],
    { phoneNumbers: [{ type: 'fax', primary: true, value: '2' }] },
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

testPatches('PATCH of a list', cases);

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
