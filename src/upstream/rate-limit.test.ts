import { expect, test } from 'vitest';
import type { Answer } from './exchange.ts';
import { createRateLimit } from './rate-limit.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import type { PauseReport } from './transport-options.ts';

function answer(status: number): Answer {
  return { status, headers: {}, text: '' };
}

test('a pause is told once for a burst, again for each probe that meets the limit, and once when it is over', async () => {
  const clock = createFakeClock();
  const told: PauseReport[] = [];
  const pauses: number[] = [];
  const budget = {
    pause: (untilMs: number) => void pauses.push(untilMs - clock.now()),
  };
  const rateLimit = createRateLimit(budget, clock, { onPause: (pause) => told.push(pause) });
  const note = (status: number) => rateLimit.note(answer(status), clock.now());

  note(200);
  await clock.advance(1_000);
  const sentAt = clock.now();
  await clock.advance(100);
  for (let n = 0; n < 5; n += 1) rateLimit.note(answer(429), sentAt);
  await clock.advance(1_000);
  note(429);
  await clock.advance(2_000);
  note(200);
  note(200);

  expect(told).toEqual([
    { kind: 'paused', forMs: 1_000, streak: 1 },
    { kind: 'paused', forMs: 2_000, streak: 2 },
    { kind: 'over', afterMs: 3_000 },
  ]);
  expect(pauses).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 2_000]);
});
