import { expect, test } from 'vitest';
import { findNearest } from './nearest.ts';

test('the nearest of several is found, and nothing when all are far', () => {
  expect(findNearest('SCIM_TOKEN', ['OPS_TOKEN', 'SCIM_TOKENS'])).toBe('SCIM_TOKENS');
  expect(findNearest('HOME', ['HOST', 'PORT'])).toBeUndefined();
});
