import { describe, expect, test } from 'vitest';
import {
  LOOK_AGAIN,
  type Postponed,
  toRetryColumns,
  toStaleColumns,
  toSuccessColumns,
} from './retry-columns.ts';

const problem = { code: 'unavailable', words: 'Down for maintenance', status: 503 };
const moment = { now: 1_000_000, random: 0 };

const postponed: { why: string; outcome: Postponed; mustLook?: number; want: object }[] = [
  {
    why: 'nothing was changed, so nobody has to look',
    outcome: { kind: 'later', problem },
    want: { must_look: 0, due_at: 1_002_000 },
  },
  {
    why: 'a look that was owed before stays owed',
    outcome: { kind: 'later', problem },
    mustLook: 1,
    want: { must_look: 1, due_at: 1_002_000 },
  },
  {
    why: 'an unknown outcome is looked at first',
    outcome: { kind: 'unknown', problem },
    want: { must_look: 1, due_at: 1_002_000 },
  },
  {
    why: 'at once, where the step says so',
    outcome: { kind: 'unknown', problem, lookNow: true },
    want: { must_look: 1, due_at: 1_000_000 },
  },
  {
    why: 'when the service said so',
    outcome: { kind: 'later', problem, retryAfterMs: 30_000 },
    want: { must_look: 0, due_at: 1_030_000 },
  },
];

describe('what a failed step leaves in the row', () => {
  test.each(postponed)('$why', ({ outcome, mustLook, want }) => {
    const since = { attempts: 2, failing_since: 900_000 };
    const row = { ...since, must_look: mustLook ?? 0, last_error: null, due_class: 1 } as const;

    expect(toRetryColumns(row, outcome, moment)).toEqual({
      attempts: 3,
      failing_since: 900_000,
      last_error: JSON.stringify(problem),
      ...want,
    });
  });

  test.each([
    { code: 'observe-mode', dueClass: 1, want: 1 },
    { code: 'writes-paused', dueClass: 0, want: 0 },
    { code: 'writes-paused', dueClass: 2, want: 1 },
  ] as const)(
    'a change that may not be sent ($code, class $dueClass) waits as it was, and nothing failed',
    ({ code, dueClass, want }) => {
      const since = { attempts: 2, failing_since: 900_000 };
      const row = { ...since, must_look: 1, last_error: 'as before', due_class: dueClass };
      const outcome = { kind: 'later', problem: { code, words: 'not now' } } as const;

      expect(toRetryColumns(row, outcome, moment)).toEqual({
        ...row,
        due_at: moment.now,
        due_class: want,
      });
    },
  );

  test('success leaves no trace of trouble', () => {
    const clean = { must_look: 0, attempts: 0, last_error: null };

    expect(toSuccessColumns({ must_look: 0 })).toEqual(clean);
    expect(toSuccessColumns({ must_look: 1 })).toEqual(clean);
  });

  test('a lane that was lost has its new holder look again, also after a look that is under way', () => {
    const fenced = toStaleColumns({ lane_owner: 'another' }, 7);

    expect(fenced).toEqual({ must_look: LOOK_AGAIN, due_at: 7 });
    expect(toSuccessColumns(fenced)).toMatchObject({ must_look: 1 });
    expect(toStaleColumns({ lane_owner: null }, 7)).toEqual({ must_look: 1, due_at: 7 });
  });
});
