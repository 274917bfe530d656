import { expect, test } from 'vitest';
import { isId, newId } from './ids.ts';

test('an id has a form that needs no quotes, and that no name and no number has', () => {
  const ids = Array.from({ length: 1_000 }, newId);
  for (const id of ids) {
    expect(id).toMatch(/^[abef][0-9a-f]{15}$/);
    expect(isId(id)).toBe(true);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['an id of before', '2819c223-7f76-453a-919d-413861904646', true],
  ['a name of as many letters', 'augustin.schulze', false],
  ['a longer text that ends in an id', 'ada-a123456789abcdef', false],
  ['a number of as many digits', '1234567890123456', false],
  ['capitals', 'A123456789ABCDEF', false],
])('%s', (_why, text, isOurs) => {
  expect(isId(text)).toBe(isOurs);
});
