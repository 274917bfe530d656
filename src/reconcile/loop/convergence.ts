import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { createReapplication } from '../../rules/follow.ts';
import { prioritiseWaiting } from '../../store/due.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import {
  type BoundedWait,
  isWorthWaiting,
  type Lock,
  type Queue,
  readQueue,
  type StoredWrite,
} from '../bounded-wait.ts';
import { converge } from '../converge/converge.ts';
import type { Hold, ReconcileDeps } from '../deps.ts';
import { readAdmins } from '../group/look.ts';
import { isNotLeading } from '../job.ts';
import type { Settlement } from '../outcome.ts';
import { readRole } from '../user/observe.ts';
import { readProgress, type Waiters, type WaitingRequest } from '../waiters.ts';
import { createWorkers } from './workers.ts';

/** Resources that requests may run themselves at the same time; beyond that the workers do it. */
const INLINE_MAX = 256;
/** Time within which a retry is worth waiting for, in milliseconds. */
export const WORTH_WAITING_MS = 2_500;
/** Wait of a resource after an error of our own, in milliseconds. */
const REST_MS = 10_000;
/** The same after an error of the store, in milliseconds. */
const STORE_REST_MS = 1_000;

/** Answer to a request if the next attempt comes after the end of its wait. */
export const PUT_OFF = 'the change is stored and will be tried again';
const WAITS_FOR_OTHERS = 'the change waits for something else first';
const QUEUE_TOO_LONG = {
  kind: 'not-yet',
  reason: 'the queue ahead is longer than the wait',
} as const;

/** Nothing may run before it is known that the store is current. */
const NEVER: Promise<never> = new Promise(() => undefined);
const NEVER_STARTED: Hold = { over: NEVER, trusted: NEVER, isLong: () => false };

/**
 * Brings stored desired state to the service, under one lead; the only way there. One holder at a time has the lock of a
 * resource, and runs it.
 */
export class Convergence {
  readonly #deps: ReconcileDeps;
  /** Requests of this process. */
  readonly #waiters: Waiters;
  readonly #locked = new Map<string, ResourceKey>();
  /** Runs that have not ended. */
  readonly #running = new Set<Promise<number>>();
  readonly #workers: ReturnType<typeof createWorkers>;
  readonly #reapplication: ReturnType<typeof createReapplication>;
  #holding: Hold | undefined = NEVER_STARTED;
  #isStopping = false;
  /** Ends the rests after errors. */
  readonly #stopping = new AbortController();
  #unlisten = () => {};

  constructor(deps: ReconcileDeps, waiters: Waiters) {
    this.#deps = deps;
    this.#waiters = waiters;
    this.#workers = createWorkers(deps, this);
    this.#reapplication = createReapplication(deps);
    deps.outage.onEnd(() => void this.#resumeWaiting());
  }

  get running(): number {
    return this.#running.size;
  }

  listLocked(): ResourceKey[] {
    return [...this.#locked.values()];
  }

  isLocked(key: ResourceKey): boolean {
    return this.#locked.has(keyText(key));
  }

  /** Takes the lock of a resource; undefined: it is held. */
  lock(key: ResourceKey): Lock | undefined {
    const text = keyText(key);
    if (this.#locked.has(text)) return undefined;
    this.#locked.set(text, key);
    return { key, release: () => void this.#locked.delete(text) };
  }

  /** Takes the lock of a resource for the request that writes it; undefined: the workers run it. */
  lockForRequest(key: ResourceKey) {
    const isHeld = this.#holding !== undefined || this.#isStopping || this.#isRefused();
    const isFull = this.running >= INLINE_MAX || this.#workers.isBehind();
    return isHeld || isFull ? undefined : this.lock(key);
  }

  /** Converges the resource of a lock, answers the requests that wait for it, and releases it. Never rejects. */
  async run({ key, release }: Lock): Promise<void> {
    const run = this.#runAndAnswer(key);
    this.#running.add(run);
    const restMs = await run;
    this.#running.delete(run);
    if (restMs === 0) return release();
    const rest = this.#deps.clock.sleep(restMs, this.#stopping.signal);
    void rest.catch(() => undefined).then(release);
  }

  /** Converges a stored write; its request waits for it, where that is worth while. */
  async settle(write: StoredWrite, request: WaitingRequest): Promise<Settlement> {
    const { key, lock } = write;
    const isBehind = lock === undefined && write.class === 'change' && this.#workers.isBehind();
    const queue = await orUndefined(this.#readQueue(isBehind));
    const isWorth = isWorthWaiting(queue, write, this.#waiters.size);
    const settled = isWorth ? this.#waiters.wait(request) : QUEUE_TOO_LONG;
    // The resource is run where the request has its lock, or left to the workers.
    const run = lock === undefined ? Promise.resolve() : this.run(lock);
    // What rules derive from a write waits until the write was tried, and what was written behind it had no lock.
    void run.then(this.#workers.tell);
    const { read } = this.#deps.store;
    // Others may have run it already.
    if (lock === undefined) {
      await orUndefined(this.#waiters.settleBy(key, () => readProgress(read, key)));
    }
    return settled;
  }

  /** Reads what makes a user or group privileged. @throws BridgeError `could-not-look`, also when it takes longer than the wait */
  readPrivilege({ type, id }: ResourceKey, wait: BoundedWait): Promise<void> {
    return type === 'group' ? readAdmins(this.#deps, id, wait) : readRole(this.#deps, id, wait);
  }

  readQueue(): Promise<Queue> {
    return this.#readQueue(this.#workers.isBehind());
  }

  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void> {
    return this.#reapplication.done();
  }

  /** Runs begin once the hold is over. */
  start(hold: Hold): void {
    const { bell } = this.#deps.store;
    this.#holding = hold;
    this.#unlisten = bell.listen('due', this.#workers.tell);
    void hold.over.then(() => {
      this.#holding = undefined;
      if (!this.#isStopping) this.#workers.start();
    });
    void hold.trusted.then(() => this.#isStopping || this.#reapplication.start());
  }

  /** Takes nothing new and waits for what runs, at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#stopping.abort('stopped');
    this.#unlisten();
    await Promise.all([this.#reapplication.stop(), this.#workers.stop()]);
    const grace = new AbortController();
    const timeUp = this.#deps.clock.sleep(graceMs, grace.signal).catch(() => undefined);
    await Promise.race([this.#untilIdle(), timeUp]);
    grace.abort();
  }

  async #untilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #isRefused(): boolean {
    return this.#deps.upstream.writesRefused() !== undefined;
  }

  #readQueue(isBehind: boolean): Promise<Queue> {
    const isHeld = this.#holding?.isLong() === true || this.#isRefused();
    return readQueue(this.#deps, { isHeld, isBehind });
  }

  /** Returns how long the resource rests after an error of our own, under its lock, in milliseconds. */
  async #runAndAnswer(key: ResourceKey): Promise<number> {
    const { clock, events } = this.#deps;
    try {
      const { retryAt, ...progress } = await converge(this.#deps, key, this.#waiters);
      const isSoon = retryAt !== undefined && retryAt - clock.now() < WORTH_WAITING_MS;
      const isWaitedFor = isSoon && !this.#isRefused();
      this.#waiters.settle(key, progress, isWaitedFor ? undefined : WAITS_FOR_OTHERS);
      return 0;
    } catch (error) {
      // The new leader looks first, and answers the requests.
      if (isNotLeading(error)) return 0;
      events.failed({ type: key.type, id: key.id, error });
      this.#waiters.answerNotYet(key, PUT_OFF);
      return error instanceof StoreError ? STORE_REST_MS : REST_MS;
    }
  }

  /** The service answers again: whatever waited for that is due. */
  async #resumeWaiting(): Promise<void> {
    const { store, clock, events } = this.#deps;
    try {
      await prioritiseWaiting(store, clock.now());
      this.#workers.tell();
    } catch (error) {
      // Everything is tried again all the same, each at its time.
      if (!isNotLeading(error)) events.failed({ type: 'store', id: 'due', error });
    }
  }
}

/** What is read for a write that is stored: a store that does not answer now takes nothing of that back. */
async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  }
}
