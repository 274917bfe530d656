import { expect, test } from 'vitest';
import { toLater } from './failure.ts';
import { toRetryColumns } from './retry-columns.ts';

const problem = { code: 'busy', words: 'Too many requests', status: 429 };
const row = { attempts: 0, must_look: 0 };
const moment = { now: 1_000_000, random: 0 };

test('what the service did not do is tried again when it said, and costs no look', () => {
  const outcome = toLater({ verdict: 'later', problem, retryAfterMs: 30_000 });

  expect(toRetryColumns(row, outcome, moment)).toMatchObject({ must_look: 0, due_at: 1_030_000 });
});

test('without a time from the service it is tried again after the usual delay', () => {
  const outcome = toLater({ verdict: 'later', problem });

  expect(outcome).toEqual({ kind: 'later', problem });
  expect(toRetryColumns(row, outcome, moment)).toMatchObject({ must_look: 0, attempts: 1 });
});
