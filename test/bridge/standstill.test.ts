import { expect, test } from 'vitest';
import type { Overload } from '../../src/telemetry/overload.ts';
import { createOverloadWatch } from '../../src/telemetry/overload-watch.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';

/** Stops this thread as a paused machine does: without work. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function listOverloads(happens: () => void): Promise<Overload[]> {
  const began: Overload[] = [];
  const watch = createOverloadWatch(
    { delayMaxMs: 250, memoryBytesMax: Number.POSITIVE_INFINITY },
    systemClock,
    { findStoreWaitMs: () => 0, began: (overload) => began.push(overload), ended: () => {} },
  );
  watch.start();
  happens();
  await systemClock.sleep(250);
  watch.stop();
  return began;
}

test('a standstill of the process is no overload, as much work is', async () => {
  expect(await listOverloads(() => standStill(5_200))).toEqual([]);

  const began = await listOverloads(() => work(3_000));
  expect(began.map(({ kind }) => kind)).toEqual(['delay']);
});
