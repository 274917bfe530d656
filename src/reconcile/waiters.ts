import type { Clock } from '../domain/clock.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { Settlement } from './outcome.ts';
import type { Progress, Recorded, Undone } from './recorded.ts';

/** Request that waits for its write to arrive in the service. */
export interface Waiter<Undo> {
  readonly version: number;
  /** Facts that take the write back, if the service refuses it before it is answered. */
  readonly undo: Undo;
}

/**
 * Requests waiting for their writes. A waiter is either answered or refused, never both: while a
 * refusal is being decided its deadline and every other answer are held.
 */
export interface Waiters<Undo> {
  /** Waits until the write is settled, at most `waitMs`. */
  wait(key: ResourceKey, waiter: Waiter<Undo>, waitMs: number): Promise<Settlement>;
  /** Holds all requests that wait for this resource while a result is recorded. */
  hold(key: ResourceKey): HeldWaiters<Undo>;
  /** Answers all requests whose version has arrived. */
  settle(key: ResourceKey, progress: Progress): void;
  /** Answers "not yet" to all requests that wait for `version` or an older one; their writes are durable. */
  answerNotYet(key: ResourceKey, version: number, reason: string): void;
  /** Resources that requests wait for. */
  keys(): ResourceKey[];
  /** Number of waiting requests. */
  readonly size: number;
}

/** Waiters whose deadline is held. */
export interface HeldWaiters<Undo> {
  readonly waiters: readonly Waiter<Undo>[];
  /** Answers those whose write was taken back and lets the others go on waiting. */
  resume(undone: readonly Undone[]): void;
}

interface Entry<Undo> extends Waiter<Undo> {
  readonly answer: (settlement: Settlement) => void;
  isHeld: boolean;
  /** Answer that came while it was held: given afterwards, unless the write was taken back. */
  kept?: Settlement;
}

/** Requests that wait for one resource. */
interface Queue<Undo> {
  readonly key: ResourceKey;
  readonly entries: Set<Entry<Undo>>;
}

const TOO_SLOW: Settlement = { kind: 'not-yet', reason: 'the service takes longer than the wait' };

/** Creates the list of waiting requests of this process; `clock` tells the end of a wait. */
export function createWaiters<Undo>(clock: Clock): Waiters<Undo> {
  const queues = new Map<string, Queue<Undo>>();
  let size = 0;

  function list(key: ResourceKey, versionMax: number): Entry<Undo>[] {
    const entries = queues.get(keyText(key))?.entries ?? [];
    return [...entries].filter(({ version }) => version <= versionMax);
  }

  function answer(key: ResourceKey, entry: Entry<Undo>, settlement: Settlement): void {
    const entries = queues.get(keyText(key))?.entries;
    if (!entries?.delete(entry)) return;
    if (entries.size === 0) queues.delete(keyText(key));
    size -= 1;
    entry.answer(settlement);
  }

  /** Answers now, or after the result that is being recorded is known. */
  function tell(key: ResourceKey, entry: Entry<Undo>, settlement: Settlement): void {
    if (entry.isHeld) entry.kept ??= settlement;
    else answer(key, entry, settlement);
  }

  function wait(key: ResourceKey, waiter: Waiter<Undo>, waitMs: number): Promise<Settlement> {
    return new Promise((resolve) => {
      const stopWaiting = startDeadline(clock, waitMs, () => tell(key, entry, TOO_SLOW));
      const entry: Entry<Undo> = {
        ...waiter,
        isHeld: false,
        answer(settlement) {
          stopWaiting();
          resolve(settlement);
        },
      };
      const queue = queues.get(keyText(key)) ?? { key, entries: new Set() };
      queue.entries.add(entry);
      queues.set(keyText(key), queue);
      size += 1;
    });
  }

  function hold(key: ResourceKey): HeldWaiters<Undo> {
    const held = list(key, Number.POSITIVE_INFINITY).filter((entry) => !entry.isHeld);
    for (const entry of held) entry.isHeld = true;
    return {
      waiters: held,
      resume(undone) {
        const problems = new Map(undone.map(({ version, problem }) => [version, problem]));
        for (const entry of held) {
          entry.isHeld = false;
          const problem = problems.get(entry.version);
          const settlement = problem ? ({ kind: 'refused', problem } as const) : entry.kept;
          if (settlement) answer(key, entry, settlement);
        }
      },
    };
  }

  return {
    wait,
    hold,
    settle(key, { version, oldestPending = Number.POSITIVE_INFINITY }) {
      for (const entry of list(key, version)) {
        if (entry.version < oldestPending) tell(key, entry, { kind: 'applied' });
      }
    },
    answerNotYet(key, version, reason) {
      for (const entry of list(key, version)) tell(key, entry, { kind: 'not-yet', reason });
    },
    keys: () => [...queues.values()].map(({ key }) => key),
    get size() {
      return size;
    },
  };
}

/** Calls `onOver` after `ms`, unless the returned function is called before. */
function startDeadline(clock: Clock, ms: number, onOver: () => void): () => void {
  const stopped = new AbortController();
  clock.sleep(ms, stopped.signal).then(onOver, () => undefined);
  return () => stopped.abort();
}

/**
 * Records a result while the deadlines of the waiting requests are held, so that no request is told "accepted" for a
 * write that is being taken back.
 */
export async function recordHeld<State, Undo>(
  held: HeldWaiters<Undo>,
  record: (undos: readonly Waiter<Undo>[]) => Promise<Recorded<State>>,
): Promise<Recorded<State>> {
  try {
    const recorded = await record(held.waiters);
    held.resume(recorded.undone);
    return recorded;
  } catch (error) {
    held.resume([]);
    throw error;
  }
}
