import { BridgeError } from '../../domain/errors.ts';
import { createLoop } from '../../domain/loop.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { Hold } from '../deps.ts';
import { isNotLeading, toFailureTeller } from '../lead.ts';
import { beginReading, findProgress, type Reading, type ReadProgress } from '../read/reading.ts';
import { beginRecovery, goLive, type RecoveryDeps } from './recovery-begin.ts';
import { type Detection, saveAlive } from './recovery-detect.ts';
import { planRecovery } from './recovery-plan.ts';
import { RECOVERY } from './recovery-state.ts';
import { findReleaseProgress } from './release-progress.ts';

/** Interval at which the store remembers that it is in use, in milliseconds. */
const ALIVE_MS = 10_000;
/** Interval at which the log tells the progress of an approved plan, in milliseconds. */
const TOLD_EVERY_MS = 60_000;
/** Interval of asking whether recovery is over, in milliseconds. */
const LOOK_MS = 2_000;
/** Failures that lengthen the wait, up to 16 s, because requests may be waiting for the end of recovery. */
const COUNTED_MAX = 5;

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
}

/** Creates the recovery of one process. */
export function createRecovery(deps: RecoveryDeps): Recovery {
  const { firstRead, events, clock } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const over = Promise.withResolvers<void>();
  const trusted = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const heartbeat = createHeartbeat(deps);
  const attempts = { failures: 0, signal };
  let detection: Detection | undefined;
  let reading: Reading | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    await Promise.race([firstRead.hold.over, stopped]);
    signal.throwIfAborted();
    const begun = await keepTrying(deps, attempts, () => beginRecovery(deps, attempts));
    detection = begun.detection;
    const { state } = begun;
    const again = { deps, reading: beginReading(clock.now(), { isFirst: true }), signal };
    if (state?.phase === 'reading') reading = again.reading;
    over.resolve();
    heartbeat.start();
    if (state?.phase === 'reading') {
      await keepTrying(deps, attempts, () => planRecovery(again, state));
    }
    reading = undefined;
    read.resolve();
    await keepTrying(deps, attempts, () => untilOver(deps, signal));
    trusted.resolve();
  }

  return {
    hold: {
      over: over.promise,
      trusted: trusted.promise,
      isLong: () => firstRead.hold.isLong() || attempts.failures > 0,
    },
    read: read.promise,
    progress: () => findProgress(reading, clock.now()),
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
  };
}

/** Resolves once an operator has decided, in whichever process, and what is held was taken up. */
async function untilOver({ store, clock }: RecoveryDeps, signal: AbortSignal): Promise<void> {
  while ((await RECOVERY.find(store.read)) !== undefined) await clock.sleep(LOOK_MS, signal);
}

/** Repeats what nothing else would repeat, and counts the failures. @throws the signal's reason when the process stops */
async function keepTrying<T>(
  { clock, random, events }: RecoveryDeps,
  attempts: { failures: number; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = attempts;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      attempts.failures += 1;
      const isExpected = error instanceof UpstreamError || error instanceof BridgeError;
      events.failed({ type: 'recovery', id: isExpected ? error.code : 'bug', error });
      const counted = Math.min(attempts.failures, COUNTED_MAX);
      await clock.sleep(backoffMs(counted, undefined, random()), signal);
    }
  }
}

/** Creates the heartbeat, which stores the last moment of use for the next start, and logs how far an approved plan is. */
function createHeartbeat({ store, clock, events }: RecoveryDeps) {
  let toldAt = 0;
  const beat = () => store.write((tx) => saveAlive(tx, clock.now()));
  const onFailure = toFailureTeller(events, { type: 'recovery', id: 'alive' });
  const loop = createLoop({ clock, onFailure, failedRestMs: ALIVE_MS }, async () => {
    await beat();
    const now = clock.now();
    const progress = await findReleaseProgress(store.read, now);
    if (progress !== undefined && now - Math.max(progress.startedAt, toldAt) >= TOLD_EVERY_MS) {
      toldAt = now;
      const { startedAt, endsAt, ...counts } = progress;
      const leftMs = endsAt === undefined ? {} : { leftMs: endsAt - now };
      events.release({ ...counts, elapsedMs: now - startedAt, ...leftMs });
    }
    return ALIVE_MS;
  });
  let isStarted = false;
  return {
    start() {
      isStarted = true;
      loop.start();
    },
    /**
     * Stops with a last beat, where it was started: an event of our own account from now on was not made by the bridge.
     */
    async stop() {
      await loop.stop();
      if (isStarted) await beat().catch(onFailure);
    },
  };
}
