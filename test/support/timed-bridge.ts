import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { TestBridgeOptions } from './bridge.ts';
import { startTestBridge } from './bridge.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { createPatience } from './operator.ts';

/** A bridge whose time the test moves. */
export type TimedBridge = Omit<Awaited<ReturnType<typeof startTimedBridge>>, 'stop'>;

const POLL_MS = 20;

/** A bridge with a clock that the test moves. */
export async function startTimedBridge(options: Omit<TestBridgeOptions, 'clock'> = {}) {
  const clock = createLeapingClock();
  const bridge = await startTestBridge({ ...options, clock });
  return { bridge, clock, stop: bridge.stop };
}

/** Waits until nothing runs and nothing is due, moving time on to what is due next, at most `aheadMs` in one leap. */
export async function untilQuiet(timed: TimedBridge, aheadMs?: number): Promise<void> {
  const expectProgress = createPatience();
  while (!(await goOn(timed, aheadMs))) {
    expectProgress(JSON.stringify(await timed.bridge.readWork()));
    await sleep(POLL_MS);
  }
}

/** Waits for the end of something that may have to be tried again. */
export async function untilEnded<T>(timed: TimedBridge, pending: Promise<T>): Promise<T> {
  let ended = false;
  const end = pending.finally(() => {
    ended = true;
  });
  while (!ended) {
    await goOn(timed);
    await Promise.race([end, sleep(POLL_MS)]);
  }
  return end;
}

/** Moves time on to the next attempt of what has to wait, unless something runs; true: there is nothing. */
async function goOn(
  { bridge, clock }: TimedBridge,
  aheadMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  if ((await bridge.readWork())?.running !== 0) return false;
  // In this order, because what ends may leave something due.
  const due = sql`select min(due_at) as at from resources`;
  const { rows } = await bridge.store.read.run<{ at: number | null }>(due);
  const dueAt = rows[0]?.at ?? null;
  if (dueAt === null || dueAt - clock.now() > aheadMs)
    return (await bridge.readWork())?.running === 0;
  clock.leap(Math.max(0, dueAt - clock.now()));
  return false;
}
