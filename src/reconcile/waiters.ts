import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { Undo } from '../store/resources/undo.ts';
import type { Problem, Settlement } from './outcome.ts';
import type { Progress, Undone } from './recorded.ts';

/** Request that waits for its write to arrive in the service. */
export interface Waiter {
  readonly version: number;
  /** Facts that take the write back, if the service refuses it before it is answered. */
  readonly undo: Undo;
  /** Names the wait in the store, where another process may refuse the write. */
  readonly id?: string | undefined;
}

/**
 * Requests waiting for their writes. A waiter is either answered or refused, never both: while a
 * refusal is being decided its deadline and every other answer are held.
 */
export interface Waiters {
  /** Waits until the write is settled, at most `waitMs`. */
  wait(key: ResourceKey, waiter: Waiter, waitMs: number): Promise<Settlement>;
  /** Holds all requests that wait for this resource while a result is recorded. */
  hold(key: ResourceKey): HeldWaiters;
  /** Answers all requests whose version has arrived, and "not yet" to the others of this reading where a reason is given. */
  settle(key: ResourceKey, progress: Progress, notYet?: string): void;
  /** Settles by the progress in the next turn of the event loop: it is read once for all who wait then, if anybody does. */
  settleSoon(key: ResourceKey, readProgress: () => Promise<Progress>): Promise<void>;
  /** Answers "not yet" to all requests that wait for `version` or an older one; their writes are durable. */
  answerNotYet(key: ResourceKey, version: number, reason: string): void;
  /** Resources that requests wait for. */
  keys(): ResourceKey[];
  /** Answers the request whose wait has this name. */
  refuse(id: string, problem: Problem): void;
  /** Every waiting request. */
  list(): WaitingRequest[];
  /** Number of waiting requests. */
  readonly size: number;
}

/** Waiters whose deadline is held. */
export interface HeldWaiters {
  readonly waiters: readonly Waiter[];
  /** Answers those whose write was taken back and lets the others go on waiting. */
  resume(undone: readonly Undone[]): void;
}

/** Waiting request, with the end of its wait (epoch milliseconds). */
export interface WaitingRequest extends Waiter {
  readonly key: ResourceKey;
  readonly until: number;
}

interface Entry extends Waiter {
  readonly until: number;
  readonly resolve: (settlement: Settlement) => void;
  /** Ends the deadline. */
  readonly answered: AbortController;
  isHeld: boolean;
  /** Answer that came while it was held: given afterwards, unless the write was taken back. */
  kept?: Settlement;
}

/** Requests that wait for one resource. */
interface Queue {
  readonly key: ResourceKey;
  readonly entries: Set<Entry>;
}

const TOO_SLOW: Settlement = { kind: 'not-yet', reason: 'the service takes longer than the wait' };

/** Creates the list of waiting requests of this process; `clock` tells the end of a wait. */
export function createWaiters(clock: Clock): Waiters {
  const queues = new Map<string, Queue>();

  function list(key: ResourceKey, versionMax: number): Entry[] {
    const entries = queues.get(keyText(key))?.entries ?? [];
    return [...entries].filter(({ version }) => version <= versionMax);
  }

  /** Answers now, or after the result that is being recorded is known. */
  function answer(key: ResourceKey, entry: Entry, settlement: Settlement): void {
    if (entry.isHeld) {
      entry.kept ??= settlement;
      return;
    }
    const entries = queues.get(keyText(key))?.entries;
    if (!entries?.delete(entry)) return;
    if (entries.size === 0) queues.delete(keyText(key));
    waiters.size -= 1;
    // With a reason: without one, an error with a stack is made each time.
    entry.answered.abort('answered');
    entry.resolve(settlement);
  }

  function wait(key: ResourceKey, waiter: Waiter, waitMs: number): Promise<Settlement> {
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    const answered = new AbortController();
    const until = clock.now() + waitMs;
    const entry: Entry = { ...waiter, until, resolve, answered, isHeld: false };
    const onOver = () => answer(key, entry, TOO_SLOW);
    clock.sleep(waitMs, answered.signal).then(onOver, () => undefined);
    const queue = queues.get(keyText(key)) ?? { key, entries: new Set() };
    queue.entries.add(entry);
    queues.set(keyText(key), queue);
    waiters.size += 1;
    return promise;
  }

  function hold(key: ResourceKey): HeldWaiters {
    const held = list(key, Number.POSITIVE_INFINITY).filter((entry) => !entry.isHeld);
    return holdEntries(held, (entry, settlement) => answer(key, entry, settlement));
  }

  function settle(key: ResourceKey, progress: Progress, notYet?: string): void {
    const { version, oldestPending = Number.POSITIVE_INFINITY } = progress;
    for (const entry of list(key, version)) {
      if (entry.version < oldestPending) answer(key, entry, { kind: 'applied' });
      else if (notYet !== undefined) answer(key, entry, { kind: 'not-yet', reason: notYet });
    }
  }

  const waiters: Omit<Waiters, 'size'> & { size: number } = {
    size: 0,
    wait,
    hold,
    settle,
    settleSoon: settleInNextTurn((key) => queues.has(keyText(key)), settle),
    answerNotYet(key, version, reason) {
      for (const entry of list(key, version)) answer(key, entry, { kind: 'not-yet', reason });
    },
    refuse(id, problem) {
      for (const { key, entries } of queues.values()) {
        const named = [...entries].find((entry) => entry.id === id);
        if (named) answer(key, named, { kind: 'refused', problem });
      }
    },
    keys: () => [...queues.values()].map(({ key }) => key),
    list: () => listRequests(queues),
  };
  return waiters;
}

/** Settles in the next turn of the event loop, once for all who ask for it by then. */
function settleInNextTurn(
  isWaitedFor: (key: ResourceKey) => boolean,
  settle: (key: ResourceKey, progress: Progress) => void,
): Waiters['settleSoon'] {
  const begun = new Map<string, Promise<void>>();

  async function run(key: ResourceKey, readProgress: () => Promise<Progress>): Promise<void> {
    await nextTurn();
    begun.delete(keyText(key));
    if (isWaitedFor(key)) settle(key, await readProgress());
  }

  return (key, readProgress) => {
    const shared = begun.get(keyText(key)) ?? run(key, readProgress);
    begun.set(keyText(key), shared);
    return shared;
  };
}

function holdEntries(
  held: readonly Entry[],
  answer: (entry: Entry, settlement: Settlement) => void,
): HeldWaiters {
  for (const entry of held) entry.isHeld = true;
  return {
    waiters: held,
    resume(undone) {
      for (const entry of held) {
        entry.isHeld = false;
        const problem = undone.findLast(({ version }) => version === entry.version)?.problem;
        const settlement = problem ? ({ kind: 'refused', problem } as const) : entry.kept;
        if (settlement) answer(entry, settlement);
      }
    },
  };
}

function listRequests(queues: ReadonlyMap<string, Queue>): WaitingRequest[] {
  return [...queues.values()].flatMap(({ key, entries }) =>
    [...entries].map(({ version, undo, id, until }) => ({ key, version, undo, id, until })),
  );
}
