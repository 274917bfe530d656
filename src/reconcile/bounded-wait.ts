import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { countDueChanges } from '../store/due.ts';
import type { Undo } from '../store/resources/state.ts';
import type { ReconcileDeps } from './deps.ts';
import { classify } from './verdict.ts';

/** Requests that may wait at the same time; beyond that a write is answered once it is stored. */
const WAITING_MAX = 2_000;
/** Due changes that are counted to estimate a wait; more count as this many. */
const DUE_COUNT_MAX = 1_000;

/** Wait of one request: its remaining time and the class of its write. */
export interface BoundedWait {
  /** Time that it may still wait, in milliseconds. */
  readonly waitMs: number;
  /** A removal of access goes before changes. */
  readonly class: 'remove' | 'change';
}

/** Makes a look of `waitMs` at most. @param about what, as a sentence begins @throws BridgeError `could-not-look` */
export async function lookWithin<Seen>(
  clock: Clock,
  { waitMs, about }: { readonly waitMs: number; readonly about: string },
  look: (signal: AbortSignal) => Promise<Seen>,
): Promise<Seen> {
  const [answered, late] = [new AbortController(), new AbortController()];
  clock.sleep(waitMs, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await look(late.signal);
  } catch (error) {
    const { problem } = classify(error);
    const message = `${about} could not be read (${problem.code})`;
    throw new BridgeError('could-not-look', message, { cause: error });
  } finally {
    answered.abort();
  }
}

/** How long a write would wait at the leader. */
export interface Queue {
  /** Nothing is changed in the service for now. */
  readonly isHeld: boolean;
  /** Estimated wait of a new write, in milliseconds. */
  readonly aheadMs: { readonly remove: number; readonly change: number };
}

/** False when no process leads, too many requests wait already, or the queue ahead is longer than the wait. */
export function isWorthWaiting(
  queue: Queue | undefined,
  { waitMs, class: callClass }: BoundedWait,
  waiting: number,
): boolean {
  if (queue === undefined || queue.isHeld || waitMs <= 0 || waiting >= WAITING_MAX) return false;
  return queue.aheadMs[callClass] < waitMs;
}

/** Estimates the wait at the leader. `isBehind`: changes that are due find no room, and go before a new one. */
export async function readQueue(
  { store, clock, upstream }: Pick<ReconcileDeps, 'store' | 'clock' | 'upstream'>,
  { isHeld, isBehind }: { readonly isHeld: boolean; readonly isBehind: boolean },
): Promise<Queue> {
  const due = isBehind ? await countDueChanges(store.read, clock.now(), DUE_COUNT_MAX) : 0;
  const [remove, change] = [upstream.queueAheadMs('remove'), upstream.queueAheadMs('change', due)];
  return { isHeld, aheadMs: { remove, change } };
}

/** The right to converge one resource. Its holder runs it, or releases it. */
export interface Lock {
  readonly key: ResourceKey;
  release(): void;
}

/** A provider's write that was stored. */
export interface StoredWrite extends BoundedWait {
  readonly key: ResourceKey;
  readonly version: number;
  /** Facts that take it back. */
  readonly undo: Undo;
  /** The lock of the resource, where the request got it. */
  readonly lock: Lock | undefined;
  /** Names the wait that was stored with the write. */
  readonly waitId: string | undefined;
}
