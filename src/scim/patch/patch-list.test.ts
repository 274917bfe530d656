import { expect, test } from 'vitest';
import {
  ada,
  add,
  addKeys,
  core,
  expected,
  home,
  type PatchCase,
  patch,
  remove,
  replace,
  replaceKeys,
  work,
} from './patch-test-support.ts';

const cases: readonly PatchCase[] = [
  [
    'a filtered value',
    replace('emails[type eq "work"].value', 'n@x'),
    { emails: [{ ...work, value: 'n@x' }, home] },
  ],
  [
    'a filtered value as a key',
    replaceKeys({ 'emails[type eq "work"].value': 'n@x', title: 'T' }),
    { title: 'T', emails: [{ ...work, value: 'n@x' }, home] },
  ],
  [
    'a filtered value with the core URN',
    replace(`${core}:emails[type eq "work"].value`, 'n@x'),
    { emails: [{ ...work, value: 'n@x' }, home] },
  ],
  [
    'replace makes the element that a filter names',
    replace('phoneNumbers[type eq "mobile"].value', '1'),
    { phoneNumbers: [{ type: 'mobile', value: '1' }] },
  ],
  [
    'add makes it too',
    { op: 'Add', path: 'addresses[type eq "work"].country', value: 'Belize' },
    { addresses: [{ type: 'work', country: 'Belize' }] },
  ],
  [
    'several operations on one absent element make one',
    [
      add('roles[primary eq "True"].display', 'D'),
      add('roles[primary eq "True"].value', 'V'),
      add('roles[primary eq "True"].type', 'T'),
    ],
    { roles: [{ primary: true, display: 'D', value: 'V', type: 'T' }] },
  ],
  [
    'primary first, value later',
    [
      add('phoneNumbers[type eq "fax"].primary', 'True'),
      add('phoneNumbers[type eq "fax"].value', '2'),
    ],
    { phoneNumbers: [{ type: 'fax', primary: true, value: '2' }] },
  ],
  [
    'an element made by two conditions',
    add('ims[type eq "xmpp" and primary eq true].value', 'i'),
    { ims: [{ type: 'xmpp', primary: true, value: 'i' }] },
  ],
  [
    'an element that never gets a value does not stay',
    add('phoneNumbers[type eq "fax"].primary', true),
    {},
  ],
  [
    'an object for the filtered element merges',
    replace('emails[type eq "home"]', { display: 'H' }),
    { emails: [work, { ...home, display: 'H' }] },
  ],
  [
    'a text for the filtered element is its value',
    replace('emails[type eq "home"]', 'h@x'),
    { emails: [work, { ...home, value: 'h@x' }] },
  ],
  [
    'an object for an absent element',
    add('emails[type eq "other"]', { value: 'o@x' }),
    { emails: [work, home, { type: 'other', value: 'o@x' }] },
  ],
  [
    'a blank filtered value drops the element',
    replace('emails[type eq "work"].value', ''),
    { emails: [home] },
  ],
  [
    'null likewise, and the last one takes the list along',
    [replace('emails[type eq "work"].value', null), remove('emails[type eq "home"]')],
    { emails: undefined },
  ],
  [
    'an unassigned part of a filtered element leaves the rest',
    replace('emails[type eq "work"]', { display: null, primary: null }),
    { emails: [{ value: work.value, type: 'work' }, home] },
  ],
  ['null for a filtered element', replace('emails[type eq "work"]', null), { emails: [home] }],
  ['an empty object for it', replace('emails[type eq "work"]', {}), { emails: [home] }],
  [
    'unassigned parts of an absent element make none',
    replace('emails[type eq "other"]', { display: null }),
    {},
  ],
  ['a blank value of an absent element makes none', replace('ims[type eq "xmpp"].value', ''), {}],
  [
    'a bracket inside a text',
    add('roles[type eq "a\\"]b"].display', 'D'),
    { roles: [{ type: 'a"]b', display: 'D' }] },
  ],
  ['remove by filter', { op: 'Remove', path: 'emails[type eq "work"]' }, { emails: [home] }],
  [
    'remove of a value by filter: an address that has none is no address',
    remove('emails[type eq "home"].value'),
    { emails: [work] },
  ],
  ['remove by a filter that finds nothing', remove('emails[type eq "other"]'), {}],
  [
    'remove of a part by filter',
    remove('emails[type eq "work"].primary'),
    { emails: [{ value: work.value, type: 'work' }, home] },
  ],
  [
    'an element made with primary takes it from the others',
    add('emails[type eq "other"]', { value: 'z@x', primary: true }),
    {
      emails: [{ ...work, primary: false }, home, { type: 'other', value: 'z@x', primary: true }],
    },
  ],
  [
    'an element that is made primary and gets no value takes it from nobody',
    replace('emails[type eq "other"].primary', true),
    {},
  ],
  [
    'an element that is added without a value takes primary from nobody',
    add('emails', [{ type: 'other', primary: true }]),
    {},
  ],
  [
    'what was made primary in between keeps that',
    [
      replace('emails[type eq "other"].primary', true),
      replace('emails[type eq "home"].primary', true),
    ],
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'an element made without primary takes it from nobody',
    add('emails[type eq "other"].value', 'z@x'),
    { emails: [work, home, { type: 'other', value: 'z@x' }] },
  ],
  [
    'what is not said to be primary is not',
    replace('emails[primary eq false].display', 'H'),
    { emails: [work, { ...home, display: 'H' }] },
  ],
  [
    'remove of a part of all elements',
    remove('emails.type'),
    {
      emails: [{ value: work.value, primary: true }, { value: home.value }],
    },
  ],
  [
    'primary for all stays with the last',
    replace('emails.primary', true),
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'a part of all elements',
    replace('emails.display', 'D'),
    {
      emails: [
        { ...work, display: 'D' },
        { ...home, display: 'D' },
      ],
    },
  ],
  [
    'a part of a list that is empty makes an element',
    add('ims.value', 'i'),
    { ims: [{ value: 'i' }] },
  ],
  [
    'primary moves',
    replace('emails[type eq "home"].primary', 'true'),
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'add to a list',
    add('emails', [{ value: 'o@x', type: 'other' }]),
    { emails: [work, home, { value: 'o@x', type: 'other' }] },
  ],
  [
    'add of one object to a list',
    add('emails', { value: 'o@x' }),
    { emails: [work, home, { value: 'o@x' }] },
  ],
  [
    'add of what is there',
    add('emails', [work, { value: 'ADA@home.example', type: 'home' }]),
    { emails: [work, { ...home, value: 'ADA@home.example' }] },
  ],
  [
    'add of a new primary',
    add('emails', [{ value: 'o@x', primary: true }]),
    { emails: [{ ...work, primary: false }, home, { value: 'o@x', primary: true }] },
  ],
  [
    'pathless add to a list',
    addKeys({ emails: [{ value: 'o@x' }] }),
    { emails: [work, home, { value: 'o@x' }] },
  ],
  ['add of an empty list adds nothing', add('emails', []), {}],
  ['replace of a list', replace('emails', [{ value: 'o@x' }]), { emails: [{ value: 'o@x' }] }],
  [
    'pathless replace of a list replaces it',
    replaceKeys({ emails: [{ value: 'o@x' }] }),
    { emails: [{ value: 'o@x' }] },
  ],
  [
    'replace by an element that says nothing',
    replace('emails', [{ type: 'work' }]),
    { emails: undefined },
  ],
  ['replace of a list by none', replace('emails', []), { emails: undefined }],
  ['remove of a list', remove('emails'), { emails: undefined }],
  [
    'remove of given values only',
    remove('emails', [{ value: 'ADA@work.example' }]),
    { emails: [home] },
  ],
  [
    'remove of a given value for another use',
    remove('emails', [{ value: 'ada@work.example', type: 'home' }]),
    {},
  ],
  ['remove of a value by its text', remove('emails', home.value), { emails: [work] }],
  ['remove of null removes all', remove('emails', null), { emails: undefined }],
  ['remove of a use without a value', remove('emails', [{ type: 'work' }]), {}],
  [
    'a filter says which, not the value beside it',
    remove('emails[type eq "work"]', [{ value: 'n@x' }]),
    { emails: [home] },
  ],
  [
    'a part is removed whatever the value beside it',
    remove('emails[type eq "work"].primary', [{ value: 'n@x' }]),
    { emails: [{ value: work.value, type: 'work' }, home] },
  ],
  ['remove of no values', remove('emails', []), {}],
  [
    'roles as JSON in texts',
    { op: 'Add', path: 'roles', value: [{ value: '{"id":"1","value":"A","displayName":"AA"}' }] },
    { roles: [{ value: 'A', display: 'AA' }] },
  ],
];

for (const row of cases) {
  const [why, operations] = row;
  test(`PATCH of a list: ${why}`, () => {
    const before = structuredClone(ada);
    const patched = patch(ada, operations);
    expect(patched).toStrictEqual(expected(row));
    expect(ada, 'the input is not touched').toStrictEqual(before);
    expect(patch(patched, operations), 'again: no change').toStrictEqual(patched);
  });
}

test('a list holds a thousand values and no more', () => {
  const values = (from: number, length: number) =>
    Array.from({ length }, (_, i) => `${from + i}@x`);
  const operations = [add('emails', values(0, 600)), add('emails', values(1_000, 398))];

  expect(patch(ada, operations).emails).toHaveLength(1_000);
  expect(() => patch(ada, [...operations, add('emails', 'one@x')])).toThrow(
    expect.objectContaining({
      status: 400,
      scimType: 'invalidValue',
      message: 'emails would have more than 1000 values.',
    }),
  );
});

for (const filter of [
  'value eq "nomatch@x"',
  'type eq "work" and value eq "nomatch@x"',
  'display eq "D"',
]) {
  for (const [part, value] of [
    ['.primary', true],
    ['.value', 'n@x'],
    ['', { display: 'N' }],
  ] as const) {
    for (const [verb, toStep] of [
      ['a replacement', replace],
      ['an addition', add],
    ] as const) {
      test(`${verb} where a filter finds nothing has no target: emails[${filter}]${part}`, () => {
        expect(() => patch(ada, toStep(`emails[${filter}]${part}`, value))).toThrow(
          expect.objectContaining({ status: 400, scimType: 'noTarget' }),
        );
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
      expect.objectContaining({
        status: 400,
        scimType: 'noTarget',
        message: 'No value of emails fits the filter.',
      }),
    );
  }
});
