/** The scarce resource: memory, time of the event loop, or the store. */
export type OverloadKind = 'memory' | 'delay' | 'store';

/** An overload: its kind and its beginning. */
export interface Overload {
  readonly kind: OverloadKind;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** Limits above which a process is overloaded. */
export interface OverloadLimits {
  /** Average wait of a request for the event loop, and for the store, in milliseconds; 0: no limit. */
  readonly delayMaxMs: number;
  readonly memoryBytesMax: number;
}

/** One measurement. */
export interface Load {
  readonly memoryBytes: number;
  readonly delayMs: number;
  readonly storeWaitMs: number;
}

/** Part of its limit below which an overload ends. */
const CALM: Readonly<Record<OverloadKind, number>> = { memory: 0.9, delay: 0.5, store: 0.5 };
/** Memory comes first, since it ends the process. */
const KINDS = ['memory', 'delay', 'store'] as const satisfies readonly OverloadKind[];
/** Time over which waits are averaged, in milliseconds. */
const WINDOW_MS = 1_000;
/** Longest lateness that counts, in milliseconds. */
const LATE_MAX_MS = 5_000;
/** Part of that time for which a process that works uses a processor, however many others want it. */
const WORKING = 0.1;

/**
 * Derives the overload from a measurement: one that has begun ends well below its limit, so that it does not begin
 * again with the next request.
 */
export function toOverload(
  before: Overload | undefined,
  { memoryBytes, delayMs, storeWaitMs }: Load,
  { limits, nowMs }: { limits: OverloadLimits; nowMs: number },
): Overload | undefined {
  const { delayMaxMs, memoryBytesMax } = limits;
  const parts: Readonly<Record<OverloadKind, number>> = {
    memory: memoryBytes / memoryBytesMax,
    delay: delayMaxMs > 0 ? delayMs / delayMaxMs : 0,
    store: delayMaxMs > 0 ? storeWaitMs / delayMaxMs : 0,
  };
  const kind = KINDS.find((each) => parts[each] >= (before?.kind === each ? CALM[each] : 1));
  if (kind === undefined || kind === before?.kind) return kind && before;
  return { kind, sinceMs: nowMs };
}

/**
 * True after a standstill of the whole process, such as that of a paused machine: it was late, and not because of
 * its work. @param busyMs processor time that it used meanwhile
 */
export function isStandstill({ lateMs, busyMs }: { lateMs: number; busyMs: number }): boolean {
  return lateMs > LATE_MAX_MS && busyMs < lateMs * WORKING;
}

/**
 * Average wait for its turn of a request that came at any moment of the last second, in milliseconds: half the
 * duration of the turns under way.
 * @param lateMs lateness of a timer that was set for `afterMs`
 */
export function toDelayMs(
  beforeMs: number,
  { lateMs, afterMs }: { lateMs: number; afterMs: number },
): number {
  const late = Math.min(Math.max(lateMs, 0), LATE_MAX_MS);
  const tookMs = late + afterMs;
  return toAverage(beforeMs, { ms: late ** 2 / 2 / tookMs, overMs: tookMs });
}

/** Average over the last second, in milliseconds, once a wait of `ms` lasted for `overMs`. */
export function toAverage(
  beforeMs: number,
  { ms, overMs }: { readonly ms: number; readonly overMs: number },
): number {
  return beforeMs + (1 - Math.exp(-overMs / WINDOW_MS)) * (ms - beforeMs);
}
