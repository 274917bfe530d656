/** What a process has too much of: work before the next turn of its event loop, or memory in use. */
export type OverloadKind = 'delay' | 'memory';

/** Since when a process has too much to do, and of what. */
export interface Overload {
  readonly kind: OverloadKind;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** From where on a process has too much to do. */
export interface OverloadLimits {
  /** How long whatever comes waits for the event loop on average, in milliseconds; 0: any time. */
  readonly delayMaxMs: number;
  readonly memoryBytesMax: number;
}

/** What was measured. */
export interface Load {
  readonly delayMs: number;
  readonly memoryBytes: number;
}

/** Of the delay, what is below this part of its limit ends an overload. */
const DELAY_CALM = 0.5;
const MEMORY_CALM = 0.9;
/** Over which time the delay is an average, in milliseconds. */
const WINDOW_MS = 1_000;
/** A process that was stopped for an hour is not busy for one. */
const LATE_MAX_MS = 5_000;

/**
 * The overload that follows from a measurement: what has begun ends well below its limit, so that it does not begin
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
 * How long a request that came at any moment of the last second waited for its turn, on average, in milliseconds:
 * half as long as the turns take that are under way.
 * @param lateMs how much too late a timer fired that was set for `afterMs`
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
