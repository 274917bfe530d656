import { BridgeError } from '../../domain/errors.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { deletePlan, findPlan } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { Hold, ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';
import {
  beginReading,
  findProgress,
  type Reading,
  type ReadProgress,
  type ReadRun,
} from '../read/reading.ts';
import { readServiceAgain } from './read-again.ts';
import { beginRecovery, goLive, type RecoveryDeps, toSource } from './recovery-begin.ts';
import { type Detection, saveAlive } from './recovery-detect.ts';
import { makePlan } from './recovery-make-plan.ts';
import { RECOVERY, type RecoveryState } from './recovery-state.ts';
import { tellRelease } from './release-progress.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;

/**
 * Recovery of a store that is older than the service, so that old changes are not made again. It is found at the start,
 * before anything is changed: pending changes are held, the whole service is read, and the difference waits for an
 * operator.
 * New writes of providers are brought to the service as always, after a look.
 */
export interface Recovery {
  /** Hold on changes until the store is known to be current. */
  readonly hold: Hold;
  /** Resolves when the service was read, and a plan waits at most. */
  readonly read: Promise<void>;
  /** How far the service was read again; undefined: no list is being read. */
  progress(): ReadProgress | undefined;
  /** True while the store may be older than the service and the service was not read again yet. */
  isReading(): boolean;
  /** Holds the changes accepted while observing, then finds out the rest by itself. @throws StoreError */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Result of comparing the audit log at the start; undefined while it was not asked, or not needed. */
  detection(): Detection | undefined;
  /** Goes on where an operator has decided. */
  reconsider(): Promise<void>;
}

/** Creates the recovery of one process. */
export function createRecovery(deps: RecoveryDeps): Recovery {
  const { firstRead, events } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const retrier = createRetrier(deps, signal);
  const [over, trusted, read] = [toEnd(), toEnd(), toEnd()];
  const heartbeat = createHeartbeat(deps);
  let detection: Detection | undefined;
  let reading: Reading | undefined;
  let isBegun = false;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    await Promise.race([firstRead.hold.over, stopped]);
    signal.throwIfAborted();
    const begun = await retrier.keepTrying(() =>
      beginRecovery(deps, { signal, failures: retrier.failures }),
    );
    detection = begun.detection;
    const { state } = begun;
    if (state?.phase === 'reading') reading = beginReading(deps.clock.now(), { isFirst: true });
    over.resolve();
    isBegun = true;
    heartbeat.start();
    const again = reading && { deps, reading, signal };
    const isDone =
      state === undefined ||
      (again && (await retrier.keepTrying(() => continueRecovery(deps, state, again))));
    reading = undefined;
    read.resolve();
    if (isDone) trusted.resolve();
  }

  return {
    hold: {
      over: over.promise,
      trusted: trusted.promise,
      isLong: () => firstRead.hold.isLong() || retrier.failures > 0,
    },
    read: read.promise,
    progress: () => findProgress(reading, deps.clock.now()),
    isReading: () => reading !== undefined,
    async start() {
      await goLive(deps);
      running = run().catch((error: unknown) => {
        if (signal.aborted || isNotLeading(error)) return;
        events.failed({ type: 'recovery', id: 'run', error });
      });
    },
    async stop() {
      stopping.abort();
      await running;
      await heartbeat.stop();
    },
    detection: () => detection,
    async reconsider() {
      if (isBegun && !signal.aborted && (await isOver(deps))) trusted.resolve();
    },
  };
}

function toEnd(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}

/** Tells whether no recovery is under way; false as well where the store cannot tell now. */
async function isOver({ store, events }: RecoveryDeps): Promise<boolean> {
  try {
    return (await RECOVERY.find(store.read)) === undefined;
  } catch (error) {
    // It is looked at again soon.
    if (!(error instanceof StoreError)) events.failed({ type: 'recovery', id: 'look', error });
    return false;
  }
}

/** Continues recovery until an operator is needed. True when it is over. */
async function continueRecovery(
  deps: RecoveryDeps,
  state: RecoveryState,
  run: ReadRun,
): Promise<boolean> {
  if (state.phase !== 'reading') return false;
  const { store, events, clock } = deps;
  const { reason, planId: id } = state;
  const seen = await readServiceAgain(run);
  const plan = await findPlan(store.read, id);
  const alsoSave = (tx: Db) => RECOVERY.save(tx, { ...state, phase: 'waiting' }, clock.now());
  const actions = plan === undefined ? 0 : await makePlan(deps, plan, { seen, alsoSave });
  if (reason.code === 'first-run' && actions === 0) {
    // The changes accepted while observing are in the service already.
    await store.write(async (tx) => {
      await deletePlan(tx, id);
      await RECOVERY.delete(tx);
    });
    events.recovery({ phase: 'over', code: 'empty', actions });
    return true;
  }
  events.recovery({ phase: 'waiting', code: reason.code, actions });
  events.plan({ id, status: 'held', source: toSource(reason), actions });
  return false;
}

/** Creates the heartbeat, which stores the last moment of use for the next start, and logs how far an approved plan is. */
function createHeartbeat(deps: RecoveryDeps) {
  const { store, clock, events } = deps;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    try {
      await store.write((tx) => saveAlive(tx, clock.now()));
      await tellRelease(deps);
    } catch (error) {
      if (!isNotLeading(error)) events.failed({ type: 'recovery', id: 'alive', error });
    }
  }

  return {
    start() {
      const next = () => {
        last = beat();
      };
      next();
      timer = setInterval(next, ALIVE_MS).unref();
    },
    /**
     * Stops with a last beat, where it was started: an event of our own account from now on was not made by the bridge.
     */
    async stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      await last;
      await beat();
    },
  };
}

/** Failures that lengthen the wait, up to 16 s, because requests may be waiting for the end of recovery. */
const COUNTED_MAX = 5;

/** Creates what repeats work that nothing else would repeat; it waits between attempts, and reports each failure. */
function createRetrier({ clock, random, events }: ReconcileDeps, signal: AbortSignal) {
  let failures = 0;

  async function rest(error: unknown): Promise<void> {
    failures += 1;
    const isExpected = error instanceof UpstreamError || error instanceof BridgeError;
    events.failed({ type: 'recovery', id: isExpected ? error.code : 'bug', error });
    await clock.sleep(backoffMs(Math.min(failures, COUNTED_MAX), undefined, random()), signal);
  }

  return {
    /** Number of failed attempts so far. */
    get failures() {
      return failures;
    },
    /** Repeats `work` until it succeeds. @throws the signal's reason when the process stops */
    async keepTrying<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          signal.throwIfAborted();
          await rest(error);
        }
      }
    },
  };
}
