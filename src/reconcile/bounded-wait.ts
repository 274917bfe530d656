import { countDueChanges } from '../store/lanes.ts';
import type { ReconcileDeps } from './deps.ts';

/** Requests that may wait at the same time; beyond that a write is answered once it is stored. */
const WAITING_MAX = 2_000;
/** Due changes that are counted to judge a wait; more are as good as this many. */
const DUE_COUNT_MAX = 1_000;

/** A write whose request might wait for it. */
interface Wait {
  /** How long it may still wait, in milliseconds. */
  readonly waitMs: number;
  readonly class: 'remove' | 'change';
}

/** False when `waiting` are too many already or the queue ahead is longer than the wait, so that nobody waits in vain. */
export function isWorthWaiting(
  { upstream }: ReconcileDeps,
  { waitMs, class: callClass }: Wait,
  waiting: number,
): boolean {
  return waitMs > 0 && waiting < WAITING_MAX && upstream.queueAheadMs(callClass) < waitMs;
}

/** True when the changes that are due and have no lane yet take longer than the wait of one more. */
export async function isBehindTooMany(
  { upstream, store, clock }: ReconcileDeps,
  { waitMs, class: callClass }: Wait,
): Promise<boolean> {
  if (callClass === 'remove') return false;
  const due = await countDueChanges(store.read, clock.now(), DUE_COUNT_MAX);
  return upstream.queueAheadMs('change', due) >= waitMs;
}
