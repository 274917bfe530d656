import { expect, test } from 'vitest';
import { toRequestId } from './request-context.ts';

const uuid = 'b5d1f0c2-8f5f-4a44-9d5b-0a7f54d1a111';
const cases = [
  { why: 'a UUID is kept', header: uuid, want: uuid },
  { why: 'a trace id is kept', header: 'Root=1-67891233:abcd', want: 'Root=1-67891233:abcd' },
  { why: 'none gets a new one', header: undefined, want: 'new' },
  { why: 'an empty one is replaced', header: '', want: 'new' },
  { why: '128 characters are kept', header: 'a'.repeat(128), want: 'a'.repeat(128) },
  { why: '129 characters are replaced', header: 'a'.repeat(129), want: 'new' },
  { why: 'a forged log line is replaced', header: 'a\n{"level":"fatal"}', want: 'new' },
];
for (const { why, header, want } of cases)
  test(`request ids: ${why}`, () => expect(toRequestId(header, () => 'new')).toBe(want));
