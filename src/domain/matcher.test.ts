import { expect, test } from 'vitest';
import { createMatcher } from './matcher.ts';

const cases = [
  { why: 'a text matches itself', pattern: 'Admins', text: 'Admins', want: true },
  { why: 'case does not matter', pattern: 'ADMINS', text: 'admins', want: true },
  { why: 'composed and decomposed letters are one', pattern: 'é*', text: 'E\u0301va', want: true },
  { why: 'a part is not the whole', pattern: 'Admins', text: 'Board Admins', want: false },
  { why: 'nor the beginning', pattern: 'Admins', text: 'Admins of Board', want: false },
  {
    why: 'a star stands for any text',
    pattern: '*@example.com',
    text: 'a@example.com',
    want: true,
  },
  { why: 'for none too', pattern: 'a*b', text: 'ab', want: true },
  { why: 'for several lines too', pattern: 'a*b', text: 'a\nb', want: true },
  { why: 'several stars in turn', pattern: 'a*b*c', text: 'a-b-b-c', want: true },
  { why: 'in order', pattern: 'a*c*b', text: 'a-b-c', want: false },
  { why: 'the ends do not share letters', pattern: 'aba*aba', text: 'ababa', want: false },
  { why: 'nor does what stands between', pattern: 'ab*b', text: 'ab', want: false },
  { why: 'each part is found once', pattern: '*ab*ab*', text: 'ab', want: false },
  { why: 'and parts do not overlap', pattern: '*aba*aba*', text: 'ababa', want: false },
  { why: 'the first part is at the start', pattern: 'ab*', text: 'abc', want: true },
  { why: 'and only there', pattern: 'ab*', text: 'xabc', want: false },
  { why: 'and only it is', pattern: 'admin*', text: 'somebody else', want: false },
  { why: 'a part may be at the start', pattern: '*ab*', text: 'abc', want: true },
  { why: 'two stars are one', pattern: 'a**b', text: 'ab', want: true },
  { why: 'the last part is at the end', pattern: '*ab', text: 'abab', want: true },
  { why: 'and only there', pattern: '*ab', text: 'abc', want: false },
  { why: 'a star alone is everything', pattern: '*', text: 'x', want: true },
  { why: 'a dot is a dot', pattern: 'a.c', text: 'abc', want: false },
  {
    why: 'other signs are themselves',
    pattern: '[a](b)+?$^|{}\\/',
    text: '[a](b)+?$^|{}\\/',
    want: true,
  },
  { why: 'no pattern matches nothing', pattern: undefined, text: 'x', want: false },
  {
    why: 'nothing matches no pattern, not even a star',
    pattern: '*',
    text: undefined,
    want: false,
  },
  { why: 'nor does a missing name', pattern: '*', text: null, want: false },
];

for (const { why, pattern, text, want } of cases) {
  test(`a matcher: ${why}`, () => {
    const matches = createMatcher(pattern === undefined ? [] : [pattern]);

    expect(matches([text])).toBe(want);
  });
}

test('any text that matches any pattern is a match', () => {
  const matches = createMatcher(['root', '*@board.example']);

  expect(matches([undefined, 'ada', 'ada@board.example'])).toBe(true);
  expect(matches(['ada', 'ada@example.com'])).toBe(false);
  expect(matches([])).toBe(false);
});

test('a matcher is asked many times and always answers the same', () => {
  const matches = createMatcher(['a*']);

  expect([matches(['abc']), matches(['abc']), matches(['abc'])]).toEqual([true, true, true]);
});

test('many stars cost no more than the text is long', () => {
  const matches = createMatcher(['*a*b*c*']);

  // A matcher that tries every combination would not end.
  expect(matches(['ab'.repeat(100_000)])).toBe(false);
});
