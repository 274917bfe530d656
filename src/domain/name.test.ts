import { expect, test } from 'vitest';
import type { PersonName } from './name.ts';
import {
  createMatcher,
  findDesiredName,
  fullName,
  isSameSpelt,
  normaliseName,
  splitName,
} from './name.ts';
import type { JsonObject } from './values.ts';

const DECOMPOSED = 'Cafe\u0301\t';
test.each([
  ['composed, with single spaces', ' Mary  Ann', DECOMPOSED, 'Mary Ann Caf\u00e9'],
  ['wherever it was cut', 'Mary Ann', 'Smith', 'Mary Ann Smith'],
  ['without a space at its end', 'Plato', '', 'Plato'],
])('a name is compared as one string, %s', (_how, givenName, familyName, want) =>
  expect(fullName({ givenName, familyName })).toBe(want),
);

test.each([
  [' Mary  Ann Smith', 'Mary', 'Ann Smith'],
  ['Plato', 'Plato', ''],
  ['', '', ''],
])('the full name "%s" is cut at its first space, and is the same again', (...row) => {
  const [full, givenName, familyName] = row;

  expect(splitName(full)).toEqual({ givenName, familyName });
  expect(fullName(splitName(full))).toBe(normaliseName(full));
});

test.each([
  { why: 'in capital letters', sent: 'Ada King', back: 'ADA  KING ', want: true },
  { why: 'escaped by words', sent: `<R> & "D"`, back: '&lt;R&gt; &amp; &quot;D&quot;', want: true },
  { why: 'escaped by numbers', sent: "O'Brien", back: 'O&#39;Brien', want: true },
  { why: 'escaped by numbers in hex', sent: 'A/B', back: 'A&#x2F;B', want: true },
  { why: 'with a space that does not break', sent: 'Ada King', back: 'Ada&nbsp;King', want: true },
  { why: 'escaped twice', sent: 'A & B', back: 'A &amp;amp; B', want: false },
  { why: 'with a number of no letter', sent: 'A', back: 'A&#9999999;', want: false },
])('a name that comes back $why is the same: $want', ({ sent, back, want }) => {
  expect(isSameSpelt(sent, back)).toBe(want);
});

const ADA = { givenName: 'Ada', familyName: '' };
test.each<[why: string, attributes: JsonObject, want: PersonName | undefined]>([
  [
    'the parts come before the formatted name',
    { name: { givenName: ' Ada', formatted: 'Eve' } },
    ADA,
  ],
  ['one part is enough', { name: { familyName: 'L ' } }, { givenName: '', familyName: 'L' }],
  ['blank parts are none', { name: { givenName: ' ', formatted: 'Ada' } }, ADA],
  ['a formatted name is cut', { name: { formatted: 'Ada L' } }, { ...ADA, familyName: 'L' }],
  ['a blank name was never given', { name: { formatted: ' ' } }, undefined],
  ['displayName is no name', { userName: 'ada', displayName: 'Ada', nickName: 'Ada' }, undefined],
  ['a name in another shape is none', { name: 'Ada Lovelace' }, undefined],
])('the name that a provider asked for: %s', (_why, attributes, want) =>
  expect(findDesiredName(attributes)).toEqual(want),
);

test.each<[why: string, pattern: string | undefined, text: string | null, want: boolean]>([
  ['case does not matter', 'ADMINS', 'admins', true],
  ['composed and decomposed letters are one', 'é*', 'E\u0301va', true],
  ['nor the beginning', 'Admins', 'Admins of Board', false],
  ['a star stands for any text', '*@example.com', 'a@example.com', true],
  ['in order', 'a*c*b', 'a-b-c', false],
  ['the ends do not share letters', 'aba*aba', 'ababa', false],
  ['nor does what stands between', 'ab*b', 'ab', false],
  ['each part is found once', '*ab*ab*', 'ab', false],
  ['the first part is at the start', 'ab*', 'abc', true],
  ['a part may be at the start', '*ab*', 'abc', true],
  ['two stars are one', 'a**b', 'ab', true],
  ['the last part is at the end', '*ab', 'abab', true],
  ['a star alone is everything', '*', 'x', true],
  ['a dot is a dot', 'a.c', 'abc', false],
  ['other signs are themselves', '[a](b)+?$^|{}\\/', '[a](b)+?$^|{}\\/', true],
  ['no pattern matches nothing', undefined, 'x', false],
  ['a missing name matches no pattern, not even a star', '*', null, false],
])('a matcher: %s', (_why, pattern, text, want) => {
  const matches = createMatcher(pattern === undefined ? [] : [pattern]);
  expect(matches([text])).toBe(want);
});

test('any text that matches any pattern is a match', () => {
  const matches = createMatcher(['root', '*@board.example']);
  expect(matches([undefined, 'ada', 'ada@board.example'])).toBe(true);
  expect(matches(['ada', 'ada@example.com'])).toBe(false);
});

test('many stars cost no more than the text is long', () => {
  // A matcher that tries every combination would not end.
  expect(createMatcher(['*a*b*c*'])(['ab'.repeat(100_000)])).toBe(false);
});
