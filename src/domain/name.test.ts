import { expect, test } from 'vitest';
import { findDesiredName, fullName, isSameSpelt, type PersonName, splitName } from './name.ts';
import type { JsonObject } from './values.ts';

test('names compare as one string: composed, single spaces, none at the ends', () => {
  const parts = { givenName: ' Mary  Ann', familyName: 'Cafe\u0301\t' };

  expect(fullName(parts)).toBe('Mary Ann Caf\u00e9');
});

test('where a full name is cut does not matter to the comparison', () => {
  const cut = fullName({ givenName: 'Mary Ann', familyName: 'Smith' });
  const cutElsewhere = fullName({ givenName: 'Mary', familyName: 'Ann Smith' });

  expect(cut).toBe(cutElsewhere);
});

test('a name of one part has no space at its ends', () => {
  expect(fullName({ givenName: 'Plato', familyName: '' })).toBe('Plato');
  expect(fullName({ givenName: '', familyName: 'Plato' })).toBe('Plato');
});

test('a full name is cut at its first space', () => {
  expect(splitName(' Mary  Ann Smith')).toEqual({ givenName: 'Mary', familyName: 'Ann Smith' });
  expect(splitName('Plato')).toEqual({ givenName: 'Plato', familyName: '' });
  expect(splitName('')).toEqual({ givenName: '', familyName: '' });
});

const spellings: { why: string; sent: string; back: string; want: boolean }[] = [
  { why: 'in capital letters', sent: 'Ada King', back: 'ADA  KING ', want: true },
  { why: 'escaped by words', sent: `<R> & "D"`, back: '&lt;R&gt; &amp; &quot;D&quot;', want: true },
  { why: 'escaped by numbers', sent: "O'Brien", back: 'O&#39;Brien', want: true },
  { why: 'escaped by numbers in hex', sent: 'A/B', back: 'A&#x2F;B', want: true },
  { why: 'with a space that does not break', sent: 'Ada King', back: 'Ada&nbsp;King', want: true },
  { why: 'escaped twice', sent: 'A & B', back: 'A &amp;amp; B', want: false },
  { why: 'with a number of no letter', sent: 'A', back: 'A&#9999999;', want: false },
  { why: 'with another letter', sent: 'A & B', back: 'A &amp; C', want: false },
];
test.each(spellings)('a name that comes back $why is the same: $want', ({ sent, back, want }) => {
  expect(isSameSpelt(sent, back)).toBe(want);
});

const desired: readonly (readonly [
  why: string,
  attributes: JsonObject,
  want: PersonName | undefined,
])[] = [
  [
    'the parts come before the formatted name',
    { name: { givenName: ' Ada', familyName: 'L ', formatted: 'Countess Ada' } },
    { givenName: 'Ada', familyName: 'L' },
  ],
  [
    'one part is enough',
    { name: { familyName: 'Lovelace', formatted: 'Ada Lovelace' } },
    { givenName: '', familyName: 'Lovelace' },
  ],
  [
    'whichever it is',
    { name: { givenName: 'Ada', formatted: 'Ada Lovelace' } },
    { givenName: 'Ada', familyName: '' },
  ],
  [
    'blank parts are none, so the formatted name is cut',
    { name: { givenName: ' ', formatted: 'Ada of Lovelace' } },
    { givenName: 'Ada', familyName: 'of Lovelace' },
  ],
  ['a blank name was never given', { name: { formatted: ' ' } }, undefined],
  ['no name was never given', { userName: 'ada' }, undefined],
  ['displayName is no name', { displayName: 'Ada Lovelace', nickName: 'Ada' }, undefined],
  ['a name in another shape is none', { name: 'Ada Lovelace' }, undefined],
];

for (const [why, attributes, want] of desired) {
  test(`the name a provider asked for: ${why}`, () =>
    expect(findDesiredName(attributes)).toEqual(want));
}
