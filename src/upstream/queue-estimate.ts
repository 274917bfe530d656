import {
  type CallClass,
  type ClassCounts,
  callClasses,
  keptClasses,
  PASSED_MAX,
} from './call-class.ts';

/** Facts about a queue for a call that would join it. */
export interface QueueFacts {
  /** Class of the call that would join. */
  readonly callClass: CallClass;
  /** Calls that will go before it and do not wait yet. */
  readonly others: number;
  readonly waiting: ClassCounts;
  /** Calls that may leave at once. */
  readonly free: number;
  /** Milliseconds during which no call may leave. */
  readonly pauseMs: number;
  /** Milliseconds that one call takes of the rate. */
  readonly costMs: number;
}

/** Estimated wait of a call that joins the queue, in milliseconds. */
export function estimateQueueMs(facts: QueueFacts): number {
  const { callClass, others, waiting, free, pauseMs, costMs } = facts;
  const urgent = callClasses.slice(0, callClasses.indexOf(callClass) + 1);
  const ahead = urgent.reduce((sum, each) => sum + waiting[each], others);
  const missing = ahead + 1 - free;
  if (missing <= 0) return pauseMs;
  // Less urgent waiting classes get a tenth of the turns each all the same; and so does this one, when it is such a
  // class.
  const passing = keptClasses.filter((kept) => waiting[kept] > 0 && !urgent.includes(kept));
  const inTurn = missing / (1 - passing.length / SHARE);
  const ofShare = (waiting[callClass] + others + 1) * SHARE;
  const isKept = keptClasses.some((kept) => kept === callClass);
  const turns = isKept ? Math.min(inTurn, ofShare) : inTurn;
  return pauseMs + Math.ceil(turns * costMs);
}

const SHARE = PASSED_MAX + 1;
