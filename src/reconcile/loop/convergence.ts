import type { ResourceKey } from '../../domain/values.ts';
import { keyText, toResourceKey } from '../../domain/values.ts';
import type { DueWork } from '../../store/due.ts';
import {
  countDueChanges,
  DUE_CLASSES,
  findNextDueAt,
  GONE,
  listDue,
  listProgress,
  prioritiseWaiting,
  retryResting,
} from '../../store/due.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { DueClass } from '../../store/schema.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { BoundedWait } from '../compare/look.ts';
import { readPrivilege } from '../compare/look.ts';
import { converge } from '../converge/converge.ts';
import { SEAT_REST_MS } from '../converge/record.ts';
import { LATE_CREATE_MS } from '../converge/step.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob, isNotLeading } from '../job.ts';
import { STUCK_DELAY_MAX_MS } from '../outcome.ts';
import type { Recovery } from '../repair/recovery.ts';
import type { Lock, Queue, StoredWrite, Waiters, WriteResult } from '../waiters.ts';
import { createReapplication } from './jobs.ts';

/** Resources that requests may run themselves at the same time; beyond that the workers do it. */
const INLINE_MAX = 256;
/** Due changes that are counted to estimate a wait; more count as this many. */
const DUE_COUNT_MAX = 1_000;
/** Time within which a retry is worth waiting for, in milliseconds. */
export const WORTH_WAITING_MS = 2_500;
/** Wait of a resource after an error of our own, in milliseconds. */
const REST_MS = 10_000;
/** The same after an error of the store, and that of the workers, in milliseconds. */
const STORE_REST_MS = 1_000;

/** Brings stored desired state to the service, under one lead. One holder at a time runs a resource. */
export class Convergence {
  readonly #deps: ReconcileDeps;
  /** Requests of this process. */
  readonly #waiters: Waiters;
  readonly #locked = new Map<string, ResourceKey>();
  readonly #running = new Set<Promise<number>>();
  readonly #workers: ReturnType<typeof createWorkers>;
  readonly #reapplication: ReturnType<typeof createReapplication>;
  /** Nothing may run before it is known that the store is current. */
  #isHeld = true;
  #isHeldLong = () => false;
  readonly #stopping = new AbortController();

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

  listLocked(): string[] {
    return [...this.#locked.values()].map(({ id }) => id);
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
    const isHeld = this.#isHeld || this.#stopping.signal.aborted || this.#isRefused();
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

  /** Delivers a stored write; its request waits for it, where that is worth while. */
  async deliver(write: StoredWrite): Promise<WriteResult> {
    const { key, lock } = write;
    const queue = await orUndefined(this.readQueue(lock));
    const result = this.#waiters.wait(write, queue);
    // The resource is run where the request has its lock, or left to the workers.
    const run = lock === undefined ? Promise.resolve() : this.run(lock);
    // What rules derive from a write waits until the write was tried, and what was written behind it had no lock.
    void run.then(this.#workers.tell);
    // Others may have run it already.
    if (lock === undefined && this.#waiters.isWaitedFor(key)) {
      const found = await orUndefined(listProgress(this.#deps.store.read, [key]));
      if (found !== undefined) this.#waiters.answer(key, found[0] ?? GONE);
    }
    return result;
  }

  readPrivilege(key: ResourceKey, wait: BoundedWait): Promise<void> {
    return readPrivilege(this.#deps, key, wait);
  }

  /** Estimates how long a new write would wait. Changes that are due and find no room go before one without a lock. */
  async readQueue(lock?: Lock): Promise<Queue> {
    const { store, clock, upstream } = this.#deps;
    const isBehind = lock === undefined && this.#workers.isBehind();
    const due = isBehind ? await countDueChanges(store.read, clock.now(), DUE_COUNT_MAX) : 0;
    return {
      isHeld: this.#isHeldLong() || this.#isRefused(),
      aheadMs: {
        remove: upstream.queueAheadMs('remove'),
        change: upstream.queueAheadMs('change', due),
      },
    };
  }

  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  get rulesApplied(): Promise<void> {
    return this.#reapplication.applied;
  }

  start({ over, isLong }: Recovery['hold']): void {
    this.#isHeldLong = () => this.#isHeld && isLong();
    const { signal } = this.#stopping;
    void over.then(() => {
      this.#isHeld = false;
      if (signal.aborted) return;
      this.#workers.start();
      this.#reapplication.start();
    });
  }

  /** Takes nothing new and waits for what runs, at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort('stopped');
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

  /** Returns how long the resource rests after an error of our own, under its lock, in milliseconds. */
  async #runAndAnswer(key: ResourceKey): Promise<number> {
    const { clock, events } = this.#deps;
    try {
      const { retryAt, ...progress } = await converge(this.#deps, key, this.#waiters);
      const isSoon = retryAt != null && retryAt - clock.now() < WORTH_WAITING_MS;
      this.#waiters.answer(key, progress, isSoon && !this.#isRefused() ? 'wait' : 'end');
      return 0;
    } catch (error) {
      // The new leader looks first, and answers the requests.
      if (isNotLeading(error)) return 0;
      events.failed({ type: key.type, id: key.id, error });
      // Nobody knows what has arrived.
      this.#waiters.answer(key, { ...GONE, oldestPending: 0 }, 'end');
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
export async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  }
}

/** The longest sleep between two looks at what is due, in milliseconds; shorter where the word of other processes may be lost. */
const SLEEP_MAX_MS = { sqlite: 30_000, postgres: 1_000 } as const;
const SLEEP_MIN_MS = 50;
const RUNS = 8;
/** Runs that only removals of access may have: all others may be waiting for their turn in the budget. */
const REMOVAL_RUNS = 32;

/** Change of a clock, in milliseconds, that makes stored times wrong. A smaller one is not worth the calls of all. */
const SET_MS = 60_000;

/** Creates what runs due work, removals of access first. One run is kept for looks. */
function createWorkers(deps: ReconcileDeps, runner: Convergence) {
  const { store, upstream, clock } = deps;
  let lastAt = Number.POSITIVE_INFINITY;
  const sleepMaxMs = SLEEP_MAX_MS[store.engine];
  let active = 0;
  let looking = 0;
  let isBehind = false;

  function hasRoom(dueClass: DueClass): boolean {
    // Whatever would change the service waits where it is, without an attempt.
    if (dueClass !== 2 && upstream.writesRefused() !== undefined) return false;
    if (dueClass === 0) return active < RUNS + REMOVAL_RUNS;
    return active < RUNS || (dueClass === 2 && looking === 0);
  }

  function run({ key, dueClass }: DueWork): void {
    const lock = runner.lock(key);
    if (lock === undefined) return;
    const looks = dueClass === 2 ? 1 : 0;
    active += 1;
    looking += looks;
    void runner.run(lock).then(() => {
      active -= 1;
      looking -= looks;
      loop.tell();
    });
  }

  /** Runs what is due, the most urgent first. */
  async function take(): Promise<void> {
    await prioritiseRemovals(deps, runner);
    const classes = DUE_CLASSES.filter(hasRoom);
    if (classes.length === 0) return;
    const limit = RUNS + REMOVAL_RUNS - active + 1;
    const which = { now: clock.now(), classes, limit, except: runner.listLocked() };
    const due = await listDue(store.read, which);
    // The list may end before the looks.
    if (due.length === limit && looking === 0)
      due.push(...(await listDue(store.read, { ...which, classes: [2], limit: 1 })));
    let left = 0;
    for (const work of due) {
      if (hasRoom(work.dueClass)) run(work);
      else if (work.dueClass === 1) left += 1;
    }
    // Without room for changes nobody asked for them: what was known of that still holds.
    if (classes.includes(1)) isBehind = left > 0;
  }

  const job = { type: 'store', id: 'due', restMs: STORE_REST_MS, topic: 'due' } as const;
  const loop = createJob(deps, job, async () => {
    await take();
    // At first, and after the clock was set back. What is due already does not wait for it.
    const at = clock.now();
    if (at < lastAt - SET_MS) await endLateWaits(deps, at);
    lastAt = at;
    const classes = DUE_CLASSES.filter(hasRoom);
    const dueAt = classes.length === 0 ? undefined : await findNextDueAt(store.read, classes);
    if (dueAt === undefined) return sleepMaxMs;
    return Math.min(Math.max(dueAt - clock.now(), SLEEP_MIN_MS), sleepMaxMs);
  });
  return {
    ...loop,
    /** True while changes that are due find no run: what comes now has to wait behind them. */
    isBehind: () => isBehind,
  };
}

/** Lets calls through that wait in the queue of the service for resources that are to lose access. */
async function prioritiseRemovals({ upstream, store, clock }: ReconcileDeps, runner: Convergence) {
  if (upstream.queueAheadMs('change') === 0) return;
  const id = runner.listLocked();
  const removals = { id, due_class: 0, due_at: { '<=': clock.now() } } as const;
  for (const row of await listWhere(store.read, 'resources', removals)) {
    upstream.prioritise(keyText(toResourceKey(row)));
  }
}

/** Ends waits for times that a clock that was ahead has set: all that is neither stuck nor waits for a seat is due. */
async function endLateWaits({ store, policy, clock }: ReconcileDeps, now: number): Promise<void> {
  const doubtEnd = now + Math.max(LATE_CREATE_MS.user, policy.callMs);
  const doubted = { unsure_until: { '>': doubtEnd }, due_at: { '<>': null } } as const;
  await store.write(async (tx) => {
    await updateWhere(tx, 'audit_event_subjects', { look_at: { '>': now } }, { look_at: now });
    await updateWhere(tx, 'resources', doubted, { unsure_until: doubtEnd, due_at: doubtEnd });
  });
  // What is written meanwhile is due by itself.
  const stuck = now + STUCK_DELAY_MAX_MS;
  await retryResting(store, { now: clock.now(), stuck, seat: now + SEAT_REST_MS });
}
