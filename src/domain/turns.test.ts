import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

/** Works for at least a millisecond. */
function work(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

/** Works until it has to pause, telling of each millisecond, and returns for how long, in milliseconds. */
async function workUntilPause(
  turns: ReturnType<typeof createTurns>,
  onWorked = () => {},
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    work();
    onWorked();
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
  // Where it had none of its own, nothing would be left of it; what others take of the machine is lost.
  expect(await workUntilPause(turns)).toBeGreaterThan(3);
  expect(others).toBe(1);
});

test('what comes in a later turn has a turn of its own, also after a pause', async () => {
  const turns = createTurns(10);
  await workUntilPause(turns);

  expect(turns()).toBeUndefined();
  // Where it had none of its own, nothing would be left of it; what others take of the machine is lost.
  expect(await workUntilPause(turns)).toBeGreaterThan(3);
});

test('all at work share one turn', async () => {
  const turns = createTurns(20);
  let worked = 0;
  let workedInTurn = 0;
  setImmediate(() => {
    workedInTurn = worked;
  });
  const onWorked = () => {
    worked += 1;
  };

  await Promise.all(Array.from({ length: 10 }, () => workUntilPause(turns, onWorked)));

  // Where each had a turn of its own, it would be two hundred; what others take of the machine makes it fewer.
  expect(workedInTurn).toBeGreaterThan(0);
  expect(workedInTurn).toBeLessThan(100);
});
