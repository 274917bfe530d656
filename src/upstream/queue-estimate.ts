import { type CallClass, type ClassCounts, callClasses } from './call-class.ts';

/** What is known of a queue by whoever thinks of joining it. */
export interface QueueFacts {
  /** The class of the call that would join. */
  readonly callClass: CallClass;
  /** Calls that will go before it and do not wait yet. */
  readonly others: number;
  readonly waiting: ClassCounts;
  /** Calls that may leave at once. */
  readonly free: number;
  /** Milliseconds during which nobody may leave. */
  readonly pauseMs: number;
  /** Milliseconds that one call takes of the rate. */
  readonly costMs: number;
}

/** Roughly how long a call that joins the queue waits, in milliseconds. */
export function estimateQueueMs(facts: QueueFacts): number {
  const { callClass, others, waiting, free, pauseMs, costMs } = facts;
  const urgent = callClasses.slice(0, callClasses.indexOf(callClass) + 1);
  const ahead = urgent.reduce((sum, each) => sum + waiting[each], others);
  const missing = ahead + 1 - free;
  if (missing <= 0) return pauseMs;
  // A waiting look gets a tenth of the turns of those before it.
  const share = waiting.look > 0 && !urgent.includes('look') ? 10 / 9 : 1;
  return pauseMs + Math.ceil(missing * share * costMs);
}
