import { describe, expect, test } from 'vitest';
import type { ReconcileDeps } from './deps.ts';
import { toCreateFailure, toFailedLook, toFailure, toLater } from './failure.ts';

const problem = { code: 'busy', words: 'Too many requests', status: 429 };
const parts = ['displayName', 'permissions'];
const refused = { kind: 'refused', parts, problem };
const about = { parts, section: 'groups', missed: undefined } as const;

/** Fails the test if a classification asks the service or the store. */
const nothing = new Proxy({} as ReconcileDeps, {
  get(_, name) {
    throw new Error(`asked for ${String(name)}`);
  },
});

describe('what a failed call means for the resource', () => {
  test.each([
    { verdict: 'refused', want: refused },
    { verdict: 'conflict', want: refused },
    { verdict: 'smaller', want: refused },
    { verdict: 'missing', want: { kind: 'unknown', problem, lookNow: true } },
    { verdict: 'unknown', want: { kind: 'unknown', problem, parts } },
    { verdict: 'later', want: { kind: 'later', problem, retryAfterMs: 5 } },
  ] as const)('$verdict is known without another call', async ({ verdict, want }) => {
    const classified = { verdict, problem, retryAfterMs: 5 };

    expect(await toFailure(nothing, classified, about)).toStrictEqual(want);
  });

  test.each([
    { why: 'a look found it: refused', missed: 'found', want: refused },
    {
      why: 'it was made anew: looked at later',
      missed: 'gone',
      want: { kind: 'unknown', problem },
    },
  ] as const)('missing again although $why', async ({ missed, want }) => {
    const classified = { verdict: 'missing', problem } as const;

    expect(await toFailure(nothing, classified, { ...about, missed })).toStrictEqual(want);
  });

  test('a failed create is refused where something is missing: it is not there yet itself', async () => {
    const classified = { verdict: 'missing', problem } as const;

    expect(await toCreateFailure(nothing, classified, about)).toStrictEqual(refused);
  });

  test('what the service puts off is tried when it said, else after the usual delay', () => {
    expect(toLater({ verdict: 'later', problem, retryAfterMs: 30_000 })).toStrictEqual({
      kind: 'later',
      problem,
      retryAfterMs: 30_000,
    });
    expect(toLater({ verdict: 'later', problem })).toStrictEqual({ kind: 'later', problem });
  });

  test.each([
    { code: 'busy', counts: {} },
    { code: 'unavailable', counts: { failedLook: true } },
    { code: 'unreadable', counts: { failedLook: true } },
    { code: 'timeout', counts: { failedLook: true } },
  ])('a look that failed ($code) is made again', async ({ code, counts }) => {
    const told = { ...problem, code };
    const classified = { verdict: 'unknown', problem: told } as const;

    const outcome = await toFailedLook(nothing, classified, 'groups');

    expect(outcome).toStrictEqual({ kind: 'later', problem: told, ...counts });
  });
});
