import { listWaiting } from '../domain/cell.ts';
import type { Clock } from '../domain/clock.ts';
import { BridgeError, type Refusal, type ResourceKey } from '../domain/values.ts';
import { countDueChanges, listProgress } from '../store/due.ts';
import { parseCells } from '../store/engine/columns.ts';
import type { Undo } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';
import { classify, type WriteResult } from './outcome.ts';

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

/** Request that waits for its write to arrive in the service. */
export interface Waiter {
  readonly version: number;
  /** Facts that take the write back, if the service refuses it before it is answered. */
  readonly undo: Undo;
}

/** Waiting request, with the end of its wait (epoch milliseconds). */
export interface WaitingRequest extends Waiter {
  /** Names the wait in the store, where another process may refuse the write. */
  readonly id: string;
  readonly key: ResourceKey;
  readonly until: number;
}

interface Entry extends WaitingRequest {
  readonly resolve: (result: WriteResult) => void;
  /** Ends the deadline. */
  readonly answered: AbortController;
  isSuspended: boolean;
  /** Answer that came while it was suspended: given afterwards, unless the write was taken back. */
  kept?: WriteResult;
}

const TOO_SLOW = 'the service takes longer than the wait';

/** Requests of this process that wait for their writes: each is either answered or refused, never both. */
export class Waiters {
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  list(): readonly WaitingRequest[] {
    return [...this.#entries];
  }

  /** Waits until the service holds the write or refuses it, or until the wait is over. */
  wait(request: WaitingRequest): Promise<WriteResult> {
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    const answered = new AbortController();
    const entry: Entry = { ...request, resolve, answered, isSuspended: false };
    const onOver = () => this.#end(entry, { kind: 'not-yet', reason: TOO_SLOW });
    const waitMs = request.until - this.#clock.now();
    this.#clock.sleep(waitMs, answered.signal).then(onOver, () => undefined);
    this.#entries.add(entry);
    return promise;
  }

  /** Suspends the answers about a resource while a result is recorded; `resume` answers the requests whose write was taken back, or may have been (`unsure`). */
  suspend(key: ResourceKey) {
    const waiters = this.#list(key).filter((entry) => !entry.isSuspended);
    for (const entry of waiters) entry.isSuspended = true;
    const resume = (undone: readonly Undone[], unsure?: unknown) => {
      for (const entry of waiters) {
        entry.isSuspended = false;
        const problem = undone.findLast(({ version }) => version === entry.version)?.problem;
        const refusal = problem && ({ kind: 'refused', problem } as const);
        if (refusal) this.#end(entry, unsure ? { kind: 'unsure', error: unsure } : refusal);
        else if (entry.kept) this.#end(entry, entry.kept);
      }
    };
    return { waiters, resume };
  }

  /** Answers all requests whose version has arrived, and "not yet" to the others of this reading where a reason is given. */
  answer(key: ResourceKey, progress: Progress, notYet?: string): void {
    const { version, oldestPending = Number.POSITIVE_INFINITY } = progress;
    for (const entry of this.#list(key)) {
      if (entry.version > version) continue;
      if (entry.version < oldestPending) this.#end(entry, { kind: 'applied' });
      else if (notYet !== undefined) this.#end(entry, { kind: 'not-yet', reason: notYet });
    }
  }

  /** The same with a progress that is read if a request waits. */
  async answerAfter(key: ResourceKey, readProgress: () => Promise<Progress>): Promise<void> {
    if (this.#list(key).length > 0) this.answer(key, await readProgress());
  }

  /** Answers the request whose wait has this name. */
  refuse(id: string, problem: Refusal): void {
    const named = this.#entries.values().find((entry) => entry.id === id);
    if (named) this.#end(named, { kind: 'refused', problem });
  }

  #list({ type, id }: ResourceKey): Entry[] {
    return [...this.#entries].filter(({ key }) => key.id === id && key.type === type);
  }

  /** Answers now, or after the result that is being recorded is known. */
  #end(entry: Entry, result: WriteResult): void {
    if (entry.isSuspended) {
      entry.kept ??= result;
      return;
    }
    if (!this.#entries.delete(entry)) return;
    // With a reason: without one, an error with a stack is made each time.
    entry.answered.abort('answered');
    entry.resolve(result);
  }
}

/** Write that was taken back, with the words of the service. */
export interface Undone {
  readonly version: number;
  readonly problem: Refusal;
}

/** Progress of the service with a resource, as of one reading of it. */
export interface Progress {
  /** Version that was read: nothing is said of later writes. */
  readonly version: number;
  /** Oldest version that still waits; undefined when everything holds. */
  readonly oldestPending: number | undefined;
}

/** Progress of a missing resource: nothing waits. */
export const GONE: Progress = { version: Number.POSITIVE_INFINITY, oldestPending: undefined };

/** Progress of a resource of which nobody knows what has arrived. */
export const NOTHING_HELD: Progress = { version: Number.POSITIVE_INFINITY, oldestPending: 0 };

/** Makes the progress of a stored resource. @param oldestLink oldest version that waits among members and admins */
export function toProgress(
  row: { readonly version: number; readonly cells: string },
  oldestLink: number | null = null,
): Progress {
  const cells = parseCells(row);
  const versions = [...listWaiting(cells).map((field) => cells[field]?.pending), oldestLink];
  const waiting = versions.filter((one) => typeof one === 'number');
  return {
    version: row.version,
    oldestPending: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}

/** Reads the progress of a resource. */
export async function readProgress(db: Db, key: ResourceKey): Promise<Progress> {
  const [row] = await listProgress(db, [key]);
  return row === undefined ? GONE : toProgress(row, row.oldestLink);
}
