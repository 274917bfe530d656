import { backoffMs } from '../backoff.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';
import { readSections, saveSection } from '../sections.ts';
import { toReason } from '../verdict.ts';
import { beginPolling, lockPollState, POLL_STATE } from './poll-state.ts';
import { readLog } from './read-log.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;

interface AuditPollerOptions {
  /** Interval at which the audit log is read, in milliseconds; 0: never. */
  readonly intervalMs: number;
  /** Resolves once the first read is over, and that of a recovery: its plan says who changed the service. */
  readonly read: Promise<void>;
  /** Account behind our own token, where the service tells it. */
  readonly ownAccount: () => number | undefined;
  /** Tells the workers that something became due. */
  readonly notify: () => void;
  /** Asks the sweeps to check the time of the next one. */
  readonly considerSweep: () => void;
}

/**
 * Poller of the service's audit log, which makes the bridge look at resources that others have changed.
 */
export interface AuditPoller {
  /** Remembers the time from which events count. @throws StoreError */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the audit poller of one process. */
export function createAuditPoller(deps: ReconcileDeps, options: AuditPollerOptions): AuditPoller {
  const { store, clock, events } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const attempt = createAttempts(deps, options, signal);
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    await Promise.race([options.read, stopped]);
    while (!signal.aborted) {
      const waitMs = await attempt();
      await clock.sleep(waitMs, signal);
    }
  }

  return {
    async start() {
      if (options.intervalMs === 0) return;
      await store.write((tx) => beginPolling(tx, clock.now()));
      running = run().catch((error: unknown) => {
        if (!signal.aborted) events.failed({ type: 'audit', id: 'run', error });
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Makes the function that reads the log once and reports the result; it returns the milliseconds until the next read. */
function createAttempts(
  deps: ReconcileDeps,
  { intervalMs, ownAccount, notify, considerSweep }: AuditPollerOptions,
  signal: AbortSignal,
): () => Promise<number> {
  const { clock, random, events } = deps;
  let failures = 0;
  let failingSince = 0;

  async function succeed(): Promise<void> {
    const afterMs = clock.now() - failingSince;
    if (failures > 0) events.auditFollowed({ failing: false, code: '', afterMs });
    failures = 0;
    const { audit } = await readSections(deps);
    if (audit?.problem) await saveSection(deps, 'audit', null);
  }

  async function fail(error: unknown): Promise<number> {
    failures += 1;
    const { problem, verdict, retryAfterMs } = toReason(error);
    // The service does not let us read the audit log at all.
    const isClosed = verdict === 'forbidden' || verdict === 'missing';
    if (failures === 1) {
      failingSince = clock.now();
      events.auditFollowed({ failing: true, code: problem.code, afterMs: 0 });
    }
    if (problem.code === 'bug') events.failed({ type: 'audit', id: 'audit', error });
    try {
      await noteFailure(deps, problem.code);
      if (isClosed) await saveSection(deps, 'audit', problem);
    } catch (failed) {
      // The store reports its own failure; the log is read again all the same, by whoever leads.
      if (!isNotLeading(failed)) events.failed({ type: 'audit', id: 'state', error: failed });
    }
    return isClosed
      ? RECHECK_MS
      : Math.max(intervalMs, backoffMs(failures, retryAfterMs, random()));
  }

  return async () => {
    try {
      const waitMs = await readLog(deps, { intervalMs, ownAccount: ownAccount(), signal });
      if (waitMs !== undefined) return waitMs;
      await succeed();
      return intervalMs;
    } catch (error) {
      signal.throwIfAborted();
      return await fail(error);
    } finally {
      // Resources marked before a failure are due all the same.
      notify();
      considerSweep();
    }
  };
}

/**
 * Remembers since when the read fails. The read stays open, so that the next one leaves
 * nothing out.
 */
async function noteFailure({ store, clock }: ReconcileDeps, code: string): Promise<void> {
  await store.write(async (tx) => {
    const state = await lockPollState(tx);
    const now = clock.now();
    const failure = { since: state.failure?.since ?? now, code };
    await POLL_STATE.save(tx, { ...state, failure }, now);
  });
}
