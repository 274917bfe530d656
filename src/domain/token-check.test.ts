import { expect, test } from 'vitest';
import { createTokenCheck } from './token-check.ts';

test('each of the tokens is known, wherever it stands, and nothing else', () => {
  const isKnown = createTokenCheck(['first', 'second', 'third']);

  expect(['first', 'second', 'third'].map(isKnown)).toEqual([true, true, true]);
  expect(['', 'fir', 'first ', 'FIRST', 'firstsecond'].map(isKnown)).not.toContain(true);
});

test('without tokens nothing is known, not even nothing', () => {
  expect(createTokenCheck([])('')).toBe(false);
});
