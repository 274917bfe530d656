import type { SandboxCall } from '../bench/sandbox.ts';

/** What the service was asked meanwhile. */
export interface CallCount {
  readonly calls: number;
  /** The most within any second, wherever it begins, as they came to the service. */
  readonly inBusiestSecond: number;
  /** The shortest time in which one call more than the rate came, in milliseconds; undefined for few calls. */
  readonly crowdMs: number | undefined;
  /** How many the service turned away because they were too many. */
  readonly tooMany: number;
}

/** Counts calls. @param calls the oldest first. @param rate how many may come in a second. */
export function countCalls(calls: readonly SandboxCall[], rate: number): CallCount {
  let [first, inBusiestSecond] = [0, 0];
  let crowdMs: number | undefined;
  calls.forEach(({ at }, last) => {
    while (at - (calls[first]?.at ?? at) >= 1_000) first += 1;
    inBusiestSecond = Math.max(inBusiestSecond, last - first + 1);
    const before = calls[last - rate]?.at;
    if (before !== undefined) crowdMs = Math.min(crowdMs ?? Number.POSITIVE_INFINITY, at - before);
  });
  const tooMany = calls.filter(({ status }) => status === 429).length;
  return { calls: calls.length, inBusiestSecond, crowdMs, tooMany };
}
