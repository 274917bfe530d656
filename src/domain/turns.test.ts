import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Works until it has to pause, and returns for how long, in milliseconds. */
async function workUntilPause(turns: ReturnType<typeof createTurns>): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    workFor(1);
    const pause = turns();
    if (pause === undefined) continue;
    const workedMs = performance.now() - startedAt;
    await pause;
    return workedMs;
  }
}

test('short work goes on, long work pauses for others', async () => {
  const turns = createTurns(10);
  let others = 0;
  setImmediate(() => {
    others += 1;
  });

  expect(turns()).toBeUndefined();
  expect(await workUntilPause(turns)).toBeGreaterThan(8);
  expect(others).toBe(1);
});

test('what comes in a later turn has a turn of its own, also after a pause', async () => {
  const turns = createTurns(10);
  await workUntilPause(turns);

  expect(turns()).toBeUndefined();
  expect(await workUntilPause(turns)).toBeGreaterThan(8);
});

test('all at work share one turn', async () => {
  const turns = createTurns(20);
  const startedAt = performance.now();
  let endedAt = 0;
  setImmediate(() => {
    endedAt = performance.now();
  });

  await Promise.all(Array.from({ length: 10 }, () => workUntilPause(turns)));

  expect(endedAt - startedAt).toBeLessThan(100);
});
