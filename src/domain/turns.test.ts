import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

/** Turns on a clock that goes on by one millisecond with each piece of work, however busy the machine is. */
function createWorker(lengthMs: number) {
  let nowMs = 0;
  const turns = createTurns(lengthMs, () => nowMs);
  const work = () => {
    nowMs += 1;
  };
  return { turns, work };
}

/** Works until it has to pause, telling of each millisecond, and returns for how long, in milliseconds. */
async function workUntilPause(
  { turns, work }: ReturnType<typeof createWorker>,
  onWorked = () => {},
): Promise<number> {
  for (let workedMs = 1; ; workedMs += 1) {
    work();
    onWorked();
    const pause = turns();
    if (pause === undefined) continue;
    await pause;
    return workedMs;
  }
}

test('short work goes on, long work pauses for others', async () => {
  const worker = createWorker(10);
  let others = 0;
  setImmediate(() => {
    others += 1;
  });

  expect(worker.turns()).toBeUndefined();
  expect(await workUntilPause(worker)).toBe(10);
  expect(others).toBe(1);
});

test('what comes in a later turn has a turn of its own, also after a pause', async () => {
  const worker = createWorker(10);
  await workUntilPause(worker);

  expect(worker.turns()).toBeUndefined();
  expect(await workUntilPause(worker)).toBe(10);
});

test('all at work share one turn', async () => {
  const worker = createWorker(20);
  let worked = 0;
  let workedInTurn = 0;
  setImmediate(() => {
    workedInTurn = worked;
  });
  const onWorked = () => {
    worked += 1;
  };

  await Promise.all(Array.from({ length: 10 }, () => workUntilPause(worker, onWorked)));

  // A turn begins when it is first asked for, after one piece. Where each had a turn of its own, it would be ten times as much.
  expect(workedInTurn).toBe(1 + 20 + 9);
});
