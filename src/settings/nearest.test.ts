import { expect, test } from 'vitest';
import { findNearest, toEditDistance } from './nearest.ts';

const distances = [
  { from: 'kitten', to: 'sitting', want: 3 },
  { from: '', to: 'abc', want: 3 },
  { from: 'same', to: 'same', want: 0 },
];
for (const { from, to, want } of distances) {
  test(`from "${from}" to "${to}" it takes ${want} changes`, () => {
    expect(toEditDistance(from, to)).toBe(want);
    expect(toEditDistance(to, from)).toBe(want);
  });
}

test('the nearest of several is found, and nothing when all are far', () => {
  expect(findNearest('SCIM_TOKEN', ['OPS_TOKEN', 'SCIM_TOKENS'])).toBe('SCIM_TOKENS');
  expect(findNearest('HOME', ['HOST', 'PORT'])).toBeUndefined();
});
