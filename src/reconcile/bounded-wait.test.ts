import { expect, test } from 'vitest';
import { isWorthWaiting } from './bounded-wait.ts';

const rows = [
  { why: 'nobody is ahead', queueMs: 0, waiting: 0, waitMs: 3_000, want: true },
  {
    why: 'the queue is shorter than the wait',
    queueMs: 2_999,
    waiting: 0,
    waitMs: 3_000,
    want: true,
  },
  {
    why: 'the queue is as long as the wait',
    queueMs: 3_000,
    waiting: 0,
    waitMs: 3_000,
    want: false,
  },
  { why: 'the wait is over already', queueMs: 0, waiting: 0, waitMs: 0, want: false },
  { why: 'the last that may wait', queueMs: 0, waiting: 1_999, waitMs: 3_000, want: true },
  { why: 'too many wait', queueMs: 0, waiting: 2_000, waitMs: 3_000, want: false },
];
test.each(rows)('whether a wait is worth its while: $why', ({ queueMs, waiting, waitMs, want }) => {
  const queue = { isHeld: false, aheadMs: { remove: 0, change: queueMs } };

  expect(isWorthWaiting(queue, { waitMs, class: 'change' }, waiting)).toBe(want);
});
