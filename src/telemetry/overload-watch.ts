import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../domain/clock.ts';
import {
  isStandstill,
  type Overload,
  type OverloadLimits,
  toAverage,
  toDelayMs,
  toOverload,
} from './overload.ts';

/** Detects that this process has more work than it can do. */
export interface OverloadWatch {
  find(): Overload | undefined;
  start(): void;
  stop(): void;
}

/** Tells how long the store keeps work waiting, and receives each beginning and end once. */
interface OverloadDeps {
  /** Milliseconds for which the first of those who wait for the store has waited. */
  readonly findStoreWaitMs: () => number;
  began(overload: Overload): void;
  ended(overload: Overload): void;
}

/** Interval of the measurements, in milliseconds. */
const EVERY_MS = 100;
/** Shortest interval between collections of garbage, in milliseconds. */
const COLLECT_EVERY_MS = 2_000;

/** Measures the event loop, the memory and the store of this process, ten times a second. */
export function createOverloadWatch(
  limits: OverloadLimits,
  clock: Pick<Clock, 'now'>,
  { findStoreWaitMs, began, ended }: OverloadDeps,
): OverloadWatch {
  let overload: Overload | undefined;
  let delayMs = 0;
  let storeWaitMs = 0;
  let dueAt = 0;
  let usedBefore = process.cpuUsage();
  let timer: NodeJS.Timeout | undefined;
  let collectedAt = Number.NEGATIVE_INFINITY;

  function measure(): void {
    const lateMs = performance.now() - dueAt;
    const { user, system } = process.cpuUsage(usedBefore);
    // A proxy sends requests to whoever answers quickly: all of them would come here and be refused.
    if (isStandstill({ lateMs, busyMs: (user + system) / 1_000 })) {
      next();
      return;
    }
    delayMs = toDelayMs(delayMs, { lateMs, afterMs: EVERY_MS });
    storeWaitMs = toAverage(storeWaitMs, { ms: findStoreWaitMs(), overMs: lateMs + EVERY_MS });
    const before = overload;
    overload = measureAgainst(before);
    // Before requests are refused, and while they are: the memory may be full of garbage.
    if (overload?.kind === 'memory' && performance.now() - collectedAt > COLLECT_EVERY_MS) {
      collectGarbage();
      collectedAt = performance.now();
      overload = measureAgainst(before);
    }
    if (before && before !== overload) ended(before);
    if (overload && before !== overload) began(overload);
    next();
  }

  function measureAgainst(before: Overload | undefined): Overload | undefined {
    const load = { memoryBytes: readMemory(), delayMs, storeWaitMs };
    return toOverload(before, load, { limits, nowMs: clock.now() });
  }

  function next(): void {
    dueAt = performance.now() + EVERY_MS;
    usedBefore = process.cpuUsage();
    timer = setTimeout(measure, EVERY_MS).unref();
  }

  return {
    find: () => overload,
    start: next,
    stop: () => clearTimeout(timer),
  };
}

/** The heap and the memory outside it, such as bodies, in bytes. The resident size would never shrink. */
function readMemory(): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  return heap + outside;
}

/**
 * Collects garbage, which takes from milliseconds to a second. V8 does so by itself only when it needs the room, so
 * that until then the memory in use is unknown; Node has no other way to ask for it at run time.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
