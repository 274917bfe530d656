import { expect, test } from 'vitest';
import { classifyStatus } from './errors.ts';

test.each([
  [302, 'redirected', 'later', 'unknown'],
  [304, 'redirected', 'later', 'unknown'],
  [400, 'refused', 'never', 'answered'],
  [401, 'credentials-refused', 'later', 'answered'],
  [402, 'not-permitted', 'never', 'answered'],
  [403, 'not-permitted', 'never', 'answered'],
  [404, 'not-found', 'never', 'answered'],
  [405, 'not-permitted', 'never', 'answered'],
  [408, 'unavailable', 'later', 'unknown'],
  [409, 'conflict', 'never', 'answered'],
  [413, 'too-large', 'never', 'answered'],
  [418, 'refused', 'never', 'answered'],
  [422, 'refused', 'never', 'answered'],
  [429, 'rate-limited', 'later', 'answered'],
  [500, 'unavailable', 'later', 'unknown'],
  [501, 'not-permitted', 'never', 'answered'],
  [503, 'unavailable', 'later', 'unknown'],
  [599, 'unavailable', 'later', 'unknown'],
] as const)('%i is %s: %s, outcome %s', (status, code, retry, outcome) => {
  expect(classifyStatus(status)).toEqual({ code, retry, outcome });
});
