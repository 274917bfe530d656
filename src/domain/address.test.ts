import { expect, test } from 'vitest';
import { findCreationAddress, isAddress, listFoldedEmails } from './address.ts';
import type { JsonObject } from './json.ts';

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

const creations: { why: string; attributes: JsonObject; want: string | undefined }[] = [
  {
    why: 'primary comes before work',
    attributes: { userName, emails: [home, work, primary] },
    want: primary.value,
  },
  {
    why: 'work comes before the first',
    attributes: { userName, emails: [home, work] },
    want: work.value,
  },
  {
    why: 'the type ignores case',
    attributes: { userName, emails: [home, { ...work, type: ' WORK' }] },
    want: work.value,
  },
  {
    why: 'the first comes before the userName',
    attributes: { userName, emails: [home] },
    want: home.value,
  },
  {
    why: 'a primary that is not true is none',
    attributes: { emails: [home, { ...primary, primary: 'true' }] },
    want: home.value,
  },
  {
    why: 'an entry without a value is none',
    attributes: { emails: [{ value: ' ', primary: true }, { primary: true }, home] },
    want: home.value,
  },
  { why: 'white space goes', attributes: { emails: [{ value: ' a@b ' }] }, want: 'a@b' },
  {
    why: 'a userName that is an address serves',
    attributes: { userName: ` ${userName} ` },
    want: userName,
  },
  { why: 'a userName that is none does not', attributes: { userName: 'ada' }, want: undefined },
  { why: 'nothing is invented', attributes: { displayName: 'ada@example.com' }, want: undefined },
  {
    why: 'e-mails in another shape are none',
    attributes: { emails: 'ada@example.com' },
    want: undefined,
  },
];

for (const { why, attributes, want } of creations) {
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
