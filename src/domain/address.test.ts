import { expect, test } from 'vitest';
import { findCreationAddress, isAddress, listFoldedEmails } from './address.ts';
import type { JsonObject } from './values.ts';

test.each([
  ['an', ['ada@example.com', 'ada@localhost', 'ada@пример.рф', `${'a'.repeat(318)}@b`]],
  ['no', ['ada', '@example.com', 'ada@', 'a@b@c', 'ada @example.com', '', `${'a'.repeat(319)}@b`]],
])('each of these is %s address: %j', (word, texts) =>
  expect(texts.map(isAddress)).toEqual(texts.map(() => word === 'an')),
);

const home = { value: 'ada@home.example', type: 'home' };
const work = { value: 'ada@work.example', type: 'work' };
const primary = { value: 'ada@primary.example', primary: true };
const userName = 'ada@name.example';

const untrue = { ...primary, primary: 'true' };
const blank = { value: ' ', primary: true };
test.each<[why: string, attributes: JsonObject, want: string | undefined]>([
  ['primary comes before work', { userName, emails: [home, work, primary] }, primary.value],
  ['the type ignores case', { userName, emails: [home, { ...work, type: ' WORK' }] }, work.value],
  ['the first comes before the userName', { userName, emails: [home] }, home.value],
  ['a primary that is not true is none', { emails: [home, untrue] }, home.value],
  ['an entry without a value is none', { emails: [blank, { primary: true }, home] }, home.value],
  ['white space goes', { emails: [{ value: ' a@b ' }] }, 'a@b'],
  ['a userName that is an address serves', { userName: ` ${userName} ` }, userName],
  ['e-mails in another shape are none', { emails: 'ada@example.com' }, undefined],
])('an account is created with the right address: %s', (_why, attributes, want) =>
  expect(findCreationAddress(attributes)).toBe(want),
);

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
