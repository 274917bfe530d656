import { expect, test } from 'vitest';
import { describeSqlite } from '../../../test/support/stores.ts';
import { insertSample } from '../../store/samples.ts';
import { readSeats } from './seats.ts';

const NOTHING_SAMPLED = {
  ...{ calls: 0, calls_max: 0, due: 0, stuck: 0, drifts: 0, requests: 0, refused: 0 },
  leavers: '[]',
};

describeSqlite('seats', ({ makeStore }) => {
  test('run out by the trend of the samples, which is not known before there are some', async () => {
    const store = await makeStore();
    const before = await readSeats(store.read, 50);
    await store.write(async (tx) => {
      for (let hour = 0; hour <= 24; hour += 1) {
        const seats = Math.round(10 + hour / 6);
        await insertSample(tx, { ...NOTHING_SAMPLED, at: hour * 3_600_000, seats });
      }
    });

    const after = await readSeats(store.read, 50);

    expect(before).toEqual({ total: 50, used: 0, waiting: 0, free: 50, daysLeft: null });
    // Four a day.
    expect(after.daysLeft).toBeGreaterThan(12);
    expect(after.daysLeft).toBeLessThan(13);
  });
});
