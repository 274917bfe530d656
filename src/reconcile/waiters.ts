import type { Clock } from '../domain/clock.ts';
import type { Refusal, ResourceKey } from '../domain/values.ts';
import type { Progress } from '../store/due.ts';
import type { Undo } from '../store/resources/state.ts';

/** Requests that may wait at the same time; beyond that a write is answered once it is stored. */
const WAITING_MAX = 2_000;

/** How long a write would wait at the leader. */
export interface Queue {
  /** Nothing is changed in the service for now. */
  readonly isHeld: boolean;
  /** Estimated wait of a new write, in milliseconds. */
  readonly aheadMs: { readonly remove: number; readonly change: number };
}

/** The right to converge one resource. Its holder runs it, or releases it. */
export interface Lock {
  readonly key: ResourceKey;
  release(): void;
}

/** Request that waits for its write to arrive in the service. */
export interface Waiter {
  readonly version: number;
  /** Facts that take the write back, if the service refuses it before it is answered. */
  readonly undo: Undo;
  /** Names the wait that was stored with the write, where another process may refuse it. */
  readonly waitId: string | undefined;
}

/** A provider's write that was stored. */
export interface StoredWrite extends Waiter {
  readonly key: ResourceKey;
  /** A removal of access goes before changes. */
  readonly class: 'remove' | 'change';
  /** End of the wait of its request (epoch milliseconds). */
  readonly until: number;
  /** The lock of the resource, where the request got it. */
  readonly lock: Lock | undefined;
}

/** Write that was taken back, with the words of the service. */
export interface Undone {
  readonly version: number;
  readonly problem: Refusal;
}

/** End of a provider's write, as far as its request waits; `unsure`: it may have been taken back. */
export type WriteResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly problem: Refusal }
  | { readonly kind: 'not-yet' }
  | { readonly kind: 'unsure'; readonly error: unknown };

interface Entry extends StoredWrite {
  readonly resolve: (result: WriteResult) => void;
  /** Ends the deadline. */
  readonly answered: AbortController;
  /** True once its deadline has come. */
  isOver: boolean;
}

const NOT_YET = { kind: 'not-yet' } as const;

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

  list(): readonly StoredWrite[] {
    return [...this.#entries];
  }

  /**
   * Waits until the service holds the write or refuses it, or until the wait is over; not at all behind a longer queue,
   * or without one, because no process leads.
   */
  wait(write: StoredWrite, queue: Queue | undefined): Promise<WriteResult> {
    const waitMs = write.until - this.#clock.now();
    const isFull = this.size >= WAITING_MAX;
    if (queue === undefined || queue.isHeld || isFull || queue.aheadMs[write.class] >= waitMs) {
      return Promise.resolve(NOT_YET);
    }
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    const answered = new AbortController();
    const entry: Entry = { ...write, resolve, answered, isOver: false };
    const onOver = () => {
      entry.isOver = true;
      this.#end(entry, NOT_YET);
    };
    this.#clock.sleep(waitMs, answered.signal).then(onOver, () => undefined);
    this.#entries.add(entry);
    return promise;
  }

  /** Has the requests of a resource get no answer while a result is recorded; `resume` answers those whose write was taken back, or may have been (`unsure`). */
  suspend(key: ResourceKey) {
    const waiters = this.#list(key);
    for (const entry of waiters) this.#entries.delete(entry);
    const resume = (undone: readonly Undone[] = [], unsure?: unknown) => {
      for (const entry of waiters) {
        this.#entries.add(entry);
        const problem = undone.findLast(({ version }) => version === entry.version)?.problem;
        const refusal = problem && ({ kind: 'refused', problem } as const);
        if (refusal) this.#end(entry, unsure ? { kind: 'unsure', error: unsure } : refusal);
        else if (entry.isOver) this.#end(entry, NOT_YET);
      }
    };
    return { waiters, resume };
  }

  /** Answers all requests whose version has arrived. @param others `end` those of this reading that wait in vain */
  answer(key: ResourceKey, progress: Progress, others: 'wait' | 'end' = 'wait'): void {
    const { version, oldestPending = Number.POSITIVE_INFINITY } = progress;
    for (const entry of this.#list(key)) {
      if (entry.version > version) continue;
      if (entry.version < oldestPending) this.#end(entry, { kind: 'applied' });
      else if (others === 'end') this.#end(entry, NOT_YET);
    }
  }

  /** Answers the request whose wait has this name. */
  refuse(waitId: string, problem: Refusal): void {
    const named = this.#entries.values().find((entry) => entry.waitId === waitId);
    if (named) this.#end(named, { kind: 'refused', problem });
  }

  isWaitedFor(key: ResourceKey): boolean {
    return this.#list(key).length > 0;
  }

  #list({ type, id }: ResourceKey): Entry[] {
    return [...this.#entries].filter(({ key }) => key.id === id && key.type === type);
  }

  #end(entry: Entry, result: WriteResult): void {
    if (!this.#entries.delete(entry)) return;
    // With a reason: without one, an error with a stack is made each time.
    entry.answered.abort('answered');
    entry.resolve(result);
  }
}
