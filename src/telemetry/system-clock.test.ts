import { expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';

test("an aborted sleep rejects at once with the signal's own reason", async () => {
  const reason = new Error('stopping');
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(systemClock.sleep(60_000, controller.signal)).rejects.toBe(reason);
});

test('a sleep of more than 25 days does not end at once', async () => {
  const controller = new AbortController();
  const ended = systemClock.sleep(2 ** 32, controller.signal).then(
    () => 'ended',
    () => 'aborted',
  );
  await systemClock.sleep(5);
  controller.abort();
  expect(await ended).toBe('aborted');
});
