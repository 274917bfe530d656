import { describe, expect, test } from 'vitest';
import { backoffMs, stuckDelayMs } from './backoff.ts';

const ALMOST_ONE = 1 - Number.EPSILON;
const HOUR_MS = 60 * 60_000;

const growth = [
  { attempts: 1, want: [500, 1_000] },
  { attempts: 2, want: [1_000, 2_000] },
  { attempts: 5, want: [8_000, 16_000] },
  { attempts: 9, want: [128_000, 256_000] },
  { attempts: 10, want: [150_000, 300_000] },
  { attempts: 1_000_000, want: [150_000, 300_000] },
];

describe('how long a failure rests', () => {
  test.each(growth)(
    'attempt $attempts: between half and the whole of its step',
    ({ attempts, want }) => {
      const bounds = [0, ALMOST_ONE].map((random) => backoffMs(attempts, undefined, random));

      expect(bounds).toEqual(want);
    },
  );

  test('the service knows better, without jitter', () => {
    expect(backoffMs(7, 12_345, 0.5)).toBe(12_345);
    expect(backoffMs(7, 0, 0.5)).toBe(0);
  });

  test('but nobody waits longer than an hour', () => {
    expect(backoffMs(1, 999 * HOUR_MS, 0.5)).toBe(HOUR_MS);
  });

  test('what was acknowledged and refused rests at least an hour, at most a quarter more', () => {
    expect([stuckDelayMs(0), stuckDelayMs(ALMOST_ONE)]).toEqual([HOUR_MS, 1.25 * HOUR_MS]);
  });
});
