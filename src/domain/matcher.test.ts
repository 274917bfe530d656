import { expect, test } from 'vitest';
import { createMatcher } from './name.ts';

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
