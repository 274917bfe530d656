import { expect, test } from 'vitest';
import { toRequestId } from './request-context.ts';

const NEW = expect.stringMatching(/^[\da-f-]{36}$/);
const cases = [
  { why: 'none gets a new one', header: undefined, want: NEW },
  { why: '126 characters are kept', header: 'a=:'.repeat(42), want: 'a=:'.repeat(42) },
  { why: '129 characters are replaced', header: 'a'.repeat(129), want: NEW },
  { why: 'a forged log line is replaced', header: 'a\n{"level":"fatal"}', want: NEW },
];
for (const { why, header, want } of cases)
  test(`request ids: ${why}`, () => expect(toRequestId(header)).toEqual(want));
