import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createFakeClock } from '../../src/upstream/testing/fake-clock.ts';
import type { TestBridgeOptions } from './bridge.ts';
import { startTestBridge } from './bridge.ts';

/** Turns of the event loop without a call after which nobody is at work but whoever waits for the time. */
const CALM_TURNS = 6;
const STEP_MS = 50;
/** Steps in which nobody wakes and nothing is asked of the service, after which time leaps to the next who wakes. */
const STEPS_BEFORE_LEAP = 5;

/** A clock for a whole bridge and its service: minutes of their time in seconds of a test's. */
export type CalmClock = ReturnType<typeof createCalmClock>;

/** A bridge and a sandbox whose time is the test's, from the end of the first read on. */
export async function startCalmBridge(options: TestBridgeOptions = {}) {
  const clock = createCalmClock();
  const sandbox = { ...options.sandbox, clock: clock.now };
  const bridge = await startTestBridge({ ...options, clock, sandbox, awaitsFirstRead: false });
  const isRead = () => bridge.bridge.leadership.news().firstRead === null;
  await clock.pass(bridge.sandbox, isRead);
  return {
    bridge,
    clock,
    async stop() {
      // What still waits ends with the bridge.
      const stopFlow = clock.flow();
      await bridge.stop().finally(stopFlow);
    },
  };
}

/** Time stands still while anybody works, so that a test measures waiting alone. For a store in this process only. */
function createCalmClock() {
  const clock = createFakeClock();

  async function untilCalm({ calls }: Pick<Sandbox, 'calls'>): Promise<void> {
    for (let turns = 0; turns < CALM_TURNS; turns += 1) {
      await nextTurn();
      if (calls.open > 0) turns = 0;
    }
  }

  async function flowUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await clock.advance(1_000);
  }

  return {
    now: clock.now,
    sleep: clock.sleep,
    advance: clock.advance,
    /** Lets time pass in seconds from now on, whoever works, until the returned function is called. */
    flow() {
      const stop = new AbortController();
      void flowUntil(stop.signal);
      return () => stop.abort();
    },
    untilCalm,
    /** Lets time pass in small steps, each once all is calm, until `isOver` says so. @throws Error after an hour */
    async pass(sandbox: Pick<Sandbox, 'calls'>, isOver: () => boolean) {
      const endMs = clock.now() + 3_600_000;
      while (!isOver()) {
        if (clock.now() > endMs) throw new Error('an hour has passed and it is not over');
        await untilCalm(sandbox);
        await clock.advance(STEP_MS);
      }
    },
    async passFor(sandbox: Pick<Sandbox, 'calls'>, ms: number) {
      const endMs = clock.now() + ms;
      let idleSteps = 0;
      while (clock.now() < endMs) {
        await untilCalm(sandbox);
        const idleMs = (clock.nextAt ?? endMs) - clock.now();
        idleSteps = idleMs > STEP_MS ? idleSteps + 1 : 0;
        const stepMs = idleSteps > STEPS_BEFORE_LEAP ? idleMs : STEP_MS;
        await clock.advance(Math.min(stepMs, endMs - clock.now()));
      }
    },
  };
}
