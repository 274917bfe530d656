import { expect, test } from 'vitest';
import { findCreationAddress, isAddress, listFoldedEmails } from './address.ts';
import type { JsonObject } from './values.ts';

const addresses = [
  { text: 'ada@example.com', want: true },
  { text: 'ada@localhost', want: true },
  { text: 'ада@пример.рф', want: true },
  { text: 'ada', want: false },
  { text: '@example.com', want: false },
  { text: 'ada@', want: false },
  { text: 'a@b@c', want: false },
  { text: 'ada @example.com', want: false },
  { text: '', want: false },
];

for (const { text, want } of addresses) {
  test(`${JSON.stringify(text)} is ${want ? 'an' : 'no'} address`, () =>
    expect(isAddress(text)).toBe(want));
}

test('an address has at most 320 characters', () => {
  const longest = `${'a'.repeat(318)}@b`;

  expect([isAddress(longest), isAddress(`a${longest}`)]).toEqual([true, false]);
});

const home = { value: 'ada@home.example', type: 'home' };
const work = { value: 'ada@work.example', type: 'work' };
const primary = { value: 'ada@primary.example', primary: true };
const userName = 'ada@name.example';

const creations: readonly (readonly [
  why: string,
  attributes: JsonObject,
  want: string | undefined,
])[] = [
  ['primary comes before work', { userName, emails: [home, work, primary] }, primary.value],
  ['work comes before the first', { userName, emails: [home, work] }, work.value],
  ['the type ignores case', { userName, emails: [home, { ...work, type: ' WORK' }] }, work.value],
  ['the first comes before the userName', { userName, emails: [home] }, home.value],
  [
    'a primary that is not true is none',
    { emails: [home, { ...primary, primary: 'true' }] },
    home.value,
  ],
  [
    'an entry without a value is none',
    { emails: [{ value: ' ', primary: true }, { primary: true }, home] },
    home.value,
  ],
  ['white space goes', { emails: [{ value: ' a@b ' }] }, 'a@b'],
  ['a userName that is an address serves', { userName: ` ${userName} ` }, userName],
  ['a userName that is none does not', { userName: 'ada' }, undefined],
  ['nothing is invented', { displayName: 'ada@example.com' }, undefined],
  ['e-mails in another shape are none', { emails: 'ada@example.com' }, undefined],
];

for (const [why, attributes, want] of creations) {
  test(`an account is created with the right address: ${why}`, () =>
    expect(findCreationAddress(attributes)).toBe(want));
}

test('filters find a person by every address, whatever its case, once each', () => {
  const emails = [
    { value: 'Ada@Example.com ' },
    { value: 'ada@example.COM' },
    { value: 'b@c' },
    {},
  ];

  expect(listFoldedEmails({ emails })).toEqual(['ada@example.com', 'b@c']);
  expect(listFoldedEmails({})).toEqual([]);
});
