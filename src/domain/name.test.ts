import { expect, test } from 'vitest';
import type { PersonName } from './name.ts';
import { findDesiredName, fullName, isSameSpelt, splitName } from './name.ts';
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
])('the full name "%s" is cut at its first space', (full, givenName, familyName) =>
  expect(splitName(full)).toEqual({ givenName, familyName }),
);

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
