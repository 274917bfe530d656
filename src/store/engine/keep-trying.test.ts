import { expect, test } from 'vitest';
import type { StoreDeadline } from '../store.ts';
import { keepTrying } from './keep-trying.ts';
import { StoreError } from './store-error.ts';

const isFull = ({ code }: StoreError) => code === 'store-full';

/** A disk that has room at the `roomAt`th attempt, and what was told meanwhile. */
function fillDisk(roomAt: number) {
  const told: string[] = [];
  const stop = new AbortController();
  let attempts = 0;
  return {
    told,
    stop,
    open: () => {
      attempts += 1;
      if (attempts < roomAt) throw new StoreError('store-full', 'no room');
      return 'open';
    },
    within: (ms: number): StoreDeadline => ({
      ms,
      signal: stop.signal,
      onWait: ({ code }) => {
        told.push(code);
        if (ms > 60_000) stop.abort();
      },
    }),
  };
}

test('a store on a full disk opens once there is room', async () => {
  const { open, within, told } = fillDisk(2);

  expect(await keepTrying(open, within(60_000), isFull)).toBe('open');
  expect(told).toEqual(['store-full']);
});

test.each([
  { why: 'the time is over', ms: 0, isPassing: isFull, waits: 0 },
  { why: 'the error does not pass', ms: 60_000, isPassing: () => false, waits: 0 },
  { why: 'the process is stopped', ms: 60_001, isPassing: isFull, waits: 1 },
])('a store that does not open is given up when $why', async ({ ms, isPassing, waits }) => {
  const { open, within, told } = fillDisk(Number.POSITIVE_INFINITY);

  await expect(keepTrying(open, within(ms), isPassing)).rejects.toThrow('no room');
  expect(told).toHaveLength(waits);
});
