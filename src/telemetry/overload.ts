/** The scarce resource: time of the event loop, or memory. */
export type OverloadKind = 'delay' | 'memory';

/** An overload: its kind and its beginning. */
export interface Overload {
  readonly kind: OverloadKind;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** Limits above which a process is overloaded. */
export interface OverloadLimits {
  /** Average wait of a request for the event loop, in milliseconds; 0: no limit. */
  readonly delayMaxMs: number;
  readonly memoryBytesMax: number;
}

/** One measurement. */
export interface Load {
  readonly delayMs: number;
  readonly memoryBytes: number;
}

/** An overload by delay ends below this part of its limit; one by memory below the next. */
const DELAY_CALM = 0.5;
const MEMORY_CALM = 0.9;
/** Time over which the delay is averaged, in milliseconds. */
const WINDOW_MS = 1_000;
/** A process that was suspended for an hour was not busy for an hour. */
const LATE_MAX_MS = 5_000;

/**
 * Derives the overload from a measurement: one that has begun ends well below its limit, so that it does not begin
 * again with the next request.
 */
export function toOverload(
  before: Overload | undefined,
  { delayMs, memoryBytes }: Load,
  { limits, nowMs }: { limits: OverloadLimits; nowMs: number },
): Overload | undefined {
  const { delayMaxMs, memoryBytesMax } = limits;
  const memoryLimit = memoryBytesMax * (before?.kind === 'memory' ? MEMORY_CALM : 1);
  const delayLimit = delayMaxMs * (before?.kind === 'delay' ? DELAY_CALM : 1);
  if (memoryBytes >= memoryLimit) return toLasting(before, 'memory', nowMs);
  if (delayMaxMs > 0 && delayMs >= delayLimit) return toLasting(before, 'delay', nowMs);
  return undefined;
}

function toLasting(before: Overload | undefined, kind: OverloadKind, nowMs: number): Overload {
  return before?.kind === kind ? before : { kind, sinceMs: nowMs };
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
  const weight = 1 - Math.exp(-tookMs / WINDOW_MS);
  return beforeMs + weight * (late ** 2 / 2 / tookMs - beforeMs);
}
