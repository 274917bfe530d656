import { expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';

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
