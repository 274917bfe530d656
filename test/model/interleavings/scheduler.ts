import type { Clock } from '../../../src/domain/clock.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './snapshot.ts';

/** Decides which of the waiting steps goes next; nothing runs but the step that it let go. */
export type Scheduler = ReturnType<typeof createScheduler>;

/** What a step is called in a trace; a function, where it costs something to say. */
export type Label = string | (() => string);

interface Step {
  readonly owner: string;
  readonly label: Label;
  readonly at: number;
  go(): void;
}

const START = Date.UTC(2026, 0, 1);
const TIME_LEAPS = 0.25;

/** What a scheduler is made of. */
export interface SchedulerOptions {
  readonly random: SeededRandom;
  readonly timePasses: number;
  readonly trace: Trace | undefined;
}

/** The scheduler of one schedule. `trace` is told every step. */
export function createScheduler(options: SchedulerOptions) {
  const { random, trace } = options;
  let now = START;
  let joined = 0;
  let waiting: Step[] = [];
  const killed = new Set<string>();

  function wait(step: Step): void {
    if (!killed.has(step.owner)) waiting.push(step);
  }

  function letGo(step: Step): boolean {
    waiting = waiting.filter((other) => other !== step);
    // No two steps happen in the same millisecond, as orders by time should not depend on chance.
    now = Math.max(now + 1, step.at);
    trace?.note(step.owner, typeof step.label === 'string' ? step.label : step.label());
    step.go();
    return true;
  }

  async function rest(): Promise<void> {
    do await endOfTurn();
    while (joined > 0 || isAwaitingTurn());
    await trace?.look();
  }

  return {
    now: () => now,
    pass: (owner: string, label: Label) =>
      new Promise<void>((go) => wait({ owner, label, at: now, go })),
    /** Time as `owner` has it: it passes only when the scheduler says so, and a timer may fire late. */
    clock: (owner: string) => createClock(owner, { now: () => now, wait, forget }),
    async join<T>(work: Promise<T>): Promise<T> {
      joined += 1;
      try {
        return await work;
      } finally {
        joined -= 1;
      }
    },
    kill(owner: string) {
      killed.add(owner);
      waiting = waiting.filter((step) => step.owner !== owner);
    },
    rest,
    async step() {
      await rest();
      const next = chooseStep(waiting, now, options);
      return next === undefined ? false : letGo(next);
    },
    async stepNow() {
      await rest();
      const ready = waiting.filter(({ at }) => at <= now);
      return ready.length === 0 ? false : letGo(random.pick(ready));
    },
    advanceTo(at: number) {
      now = Math.max(now, at);
    },
  };

  function forget(step: Step): void {
    waiting = waiting.filter((other) => other !== step);
  }
}

function chooseStep(
  waiting: readonly Step[],
  now: number,
  { random, timePasses }: SchedulerOptions,
): Step | undefined {
  const ready = waiting.filter(({ at }) => at <= now);
  const later = waiting.filter(({ at }) => at > now);
  if (later.length === 0) return ready.length === 0 ? undefined : random.pick(ready);
  if (ready.length > 0 && !random.chance(timePasses)) return random.pick(ready);
  if (random.chance(TIME_LEAPS)) return random.pick(later);
  return later.reduce((first, step) => (step.at < first.at ? step : first));
}

function createClock(
  owner: string,
  deps: { now: () => number; wait: (step: Step) => void; forget: (step: Step) => void },
): Clock {
  return {
    now: deps.now,
    sleep(ms, signal) {
      return new Promise((go, reject) => {
        signal?.throwIfAborted();
        const step = { owner, label: () => `has slept ${ms} ms`, at: deps.now() + ms, go };
        deps.wait(step);
        signal?.addEventListener('abort', () => {
          deps.forget(step);
          reject(signal.reason);
        });
      });
    },
  };
}

/** Long work goes on in the next turn, and so does a read where the turn has lasted long enough, as it may on a slow machine. */
function isAwaitingTurn(): boolean {
  return process.getActiveResourcesInfo().includes('Immediate');
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
