/** What the work takes on the machine for which the limits of turns were set, in milliseconds of its thread. */
const REFERENCE_MS = 25;
const PEOPLE = 2_000;
const ROUNDS = 18;

/** How slow this machine is at this moment: how many times longer the work takes than on the other one, at least 1. */
interface Slowness {
  /** In time of a thread: its speed, and what others do to its caches. */
  readonly thread: number;
  /** In time of a clock: how long others are let through first as well. */
  readonly wall: number;
}

/** Measures how slow this machine is at this moment. */
export function measureSlowness(): Slowness {
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    userName: `person${index}@example.com`,
    name: { givenName: 'Ada', familyName: `Family ${index}` },
    roles: [{ value: `role${index}`, primary: true }],
  }));
  const text = JSON.stringify(people);
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) JSON.stringify(JSON.parse(text));
  const wallMs = performance.now() - startedAt;
  return {
    thread: Math.max(1, toMs(process.threadCpuUsage(before)) / REFERENCE_MS),
    wall: Math.max(1, wallMs / REFERENCE_MS),
  };
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

/**
 * Runs something, and says how slow the machine was meanwhile: before or after it, whichever was slower. What is
 * measured is divided by it, so that a limit means the same on every machine, idle or busy.
 */
export async function withSlowness<T>(
  run: () => Promise<T>,
): Promise<{ result: T; slowness: Slowness }> {
  const before = measureSlowness();
  const result = await run();
  const after = measureSlowness();
  const slowness = {
    thread: Math.max(before.thread, after.thread),
    wall: Math.max(before.wall, after.wall),
  };
  return { result, slowness };
}

/** How long something takes by the clock, in milliseconds on the machine for which limits were set. */
export async function measureWall(run: () => Promise<unknown>): Promise<number> {
  const { result, slowness } = await withSlowness(async () => {
    const startedAt = performance.now();
    await run();
    return performance.now() - startedAt;
  });
  return result / slowness.wall;
}

/** How long something takes of this thread, in milliseconds on the machine for which limits were set. */
export async function measureWork(run: () => void): Promise<number> {
  const { result, slowness } = await withSlowness(async () => {
    const before = process.threadCpuUsage();
    run();
    return toMs(process.threadCpuUsage(before));
  });
  return result / slowness.thread;
}

/**
 * How many times longer something takes for an input that is ten times longer. Below 40 it is linear: a quadratic work takes
 * a hundred times as long.
 */
export function measureGrowth<T>(build: (length: number) => T, run: (input: T) => void): number {
  // Long enough for a quadratic work to show, and short enough for the collector of garbage not to.
  const [short, long] = [build(2_000), build(20_000)];
  const toSpent = (input: T, times: number) => {
    const startedAt = performance.now();
    for (let time = 0; time < times; time += 1) run(input);
    return (performance.now() - startedAt) / times;
  };
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // A busy machine disturbs most runs, and not all. It disturbs the longer one more often, so both last about as long.
  for (let runs = 0; runs < 7 || (longMs >= 40 * shortMs && runs < 100); runs += 1) {
    shortMs = Math.min(shortMs, Math.max(toSpent(short, 10), 0.005)); // Below that the clock measures itself.
    longMs = Math.min(longMs, toSpent(long, 1));
  }
  return longMs / shortMs;
}

/**
 * The longest turn of the event loop while something runs: milliseconds of this thread, on the machine for which limits
 * were set. Each is divided by how slow the machine was right after it, or before or after all of it, whichever was slower.
 */
export async function measureTurns(run: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let slowest = 1;
  let isOver = false;
  const { slowness } = await withSlowness(async () => {
    const watching = (async () => {
      while (!isOver) {
        const before = process.threadCpuUsage();
        await new Promise(setImmediate);
        const spentMs = toMs(process.threadCpuUsage(before));
        if (spentMs <= longestMs) continue;
        longestMs = spentMs;
        slowest = measureSlowness().thread;
      }
    })();
    await run();
    isOver = true;
    await watching;
  });
  return longestMs / Math.max(slowness.thread, slowest);
}
