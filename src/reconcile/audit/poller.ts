import { backoffMs } from '../backoff.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { isNotLeading } from '../lead.ts';
import { readSections, saveSection } from '../sections.ts';
import { toReason } from '../verdict.ts';
import { beginPolling, changePollState } from './poll-state.ts';
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
  /** Called when a look is scheduled. */
  readonly notify: () => void;
  /** Asks the sweeps to check the time of the next one. */
  readonly considerSweep: () => void;
}

/** Poller of the service's audit log, which makes the bridge look at resources that others have changed. */
export interface AuditPoller {
  /** Remembers the time from which events count. @throws StoreError */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the audit poller of one process. */
export function createAuditPoller(deps: ReconcileDeps, options: AuditPollerOptions): AuditPoller {
  const { store, clock } = deps;
  const { intervalMs } = options;
  let failures = 0;
  const job = { type: 'audit', id: 'run', restMs: intervalMs };
  const loop = createJob(deps, job, async (signal) => {
    const failure = await attempt(deps, options, signal);
    failures = failure === undefined ? 0 : failures + 1;
    return failure?.toWaitMs(failures) ?? intervalMs;
  });
  return {
    async start() {
      if (intervalMs === 0) return;
      const { readAt, isOpen } = await store.write((tx) => beginPolling(tx, clock.now()));
      void options.read.then(() => {
        // Another process may have read it just now.
        const firstMs = isOpen ? 0 : Math.max(0, readAt + intervalMs - clock.now());
        loop.start(Math.min(intervalMs, firstMs));
      });
    },
    stop: loop.stop,
  };
}

/** A read that failed, with the milliseconds until the next one by how many have failed in a row. */
interface FailedRead {
  readonly toWaitMs: (failures: number) => number;
}

/** Reads the log once, and tells how that went. */
async function attempt(
  deps: ReconcileDeps,
  { intervalMs, ownAccount, notify, considerSweep }: AuditPollerOptions,
  signal: AbortSignal,
): Promise<FailedRead | undefined> {
  try {
    const failure = await readLog(deps, { ownAccount: ownAccount(), signal });
    if (failure !== null) {
      const afterMs = deps.clock.now() - failure.since;
      deps.events.auditFollowed({ failing: false, code: '', afterMs });
    }
    const { audit } = await readSections(deps);
    if (audit?.problem) await saveSection(deps, 'audit', null);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const { verdict, retryAfterMs } = toReason(error);
    // The service does not let us read the audit log at all.
    const isClosed = verdict === 'forbidden' || verdict === 'missing';
    await noteFailure(deps, error, isClosed);
    const toBackoffMs = (failures: number) =>
      Math.max(intervalMs, backoffMs(failures, retryAfterMs, deps.random()));
    return { toWaitMs: (failures) => (isClosed ? RECHECK_MS : toBackoffMs(failures)) };
  } finally {
    // Looks that were stored before a failure are due all the same.
    notify();
    considerSweep();
  }
}

/**
 * Remembers since when the read fails. The read stays open, so that the next one leaves nothing out.
 */
async function noteFailure(deps: ReconcileDeps, error: unknown, isClosed: boolean): Promise<void> {
  const { store, clock, events } = deps;
  const { problem } = toReason(error);
  const { code } = problem;
  if (code === 'bug') events.failed({ type: 'audit', id: 'audit', error });
  try {
    const now = clock.now();
    const { failure } = await store.write((tx) =>
      changePollState(tx, now, (before) => ({
        failure: { since: before.failure?.since ?? now, code },
      })),
    );
    if (failure === null) events.auditFollowed({ failing: true, code, afterMs: 0 });
    if (isClosed) await saveSection(deps, 'audit', problem);
  } catch (failed) {
    // The store reports its own failure; the log is read again all the same, by whoever leads.
    if (!isNotLeading(failed)) events.failed({ type: 'audit', id: 'state', error: failed });
  }
}
