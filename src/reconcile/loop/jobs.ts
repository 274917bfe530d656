import { createHash } from 'node:crypto';
import type { Loop } from '../../domain/clock.ts';
import { applyRules } from '../../rules/follow.ts';
import { listPruned, prune } from '../../store/engine/prune.ts';
import { readBacklog } from '../../store/resources/backlog.ts';
import { forgetTombstones } from '../../store/resources/erasure.ts';
import { countWhere, createShared } from '../../store/tables.ts';
import type { Traffic } from '../../telemetry/metrics.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { findRecovery } from '../repair/recovery.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Time from one sample to the next, in milliseconds. */
export const SAMPLE_MS = 5 * MINUTE;

/** The samples of a day, the oldest first. */
export const SAMPLES = createShared<readonly Awaited<ReturnType<typeof takeSample>>[]>('samples');

interface JobsDeps extends ReconcileDeps {
  /** Counts since the last sample. */
  readonly traffic: Traffic;
  /** Calls that the service takes in a minute; 0: any number. */
  readonly callsMax: number;
}

/** Creates the jobs that sample, and forget what is old. */
export function createPeriodicJobs(deps: JobsDeps): Loop[] {
  // What came before is no part of the first minute.
  takeTraffic(deps.traffic);
  const sampling = { type: 'samples', id: 'store', restMs: SAMPLE_MS, firstMs: SAMPLE_MS };
  // At first old rows are looked for late: what changed while nobody led is more urgent.
  const pruning = { type: 'ledger', id: 'prune', restMs: HOUR, firstMs: 5 * MINUTE };
  return [
    createJob(deps, sampling, () => addSample(deps)),
    createJob(deps, pruning, (signal) => pruneAll(deps, signal)),
  ];
}

function takeTraffic(traffic: Traffic): Traffic {
  const taken = { ...traffic };
  traffic.calls = 0;
  traffic.leaversMs = [];
  return taken;
}

async function addSample(deps: JobsDeps): Promise<undefined> {
  const sample = await takeSample(deps);
  const isOfDay = ({ at }: { readonly at: number }) => at > sample.at - DAY;
  await deps.store.write((tx) =>
    SAMPLES.change(tx, sample.at, (before = []) => [...before.filter(isOfDay), sample]),
  );
}

/** Calls and requests in a minute, on average, and the work that waits. */
async function takeSample({ store: { read }, clock, callsMax, traffic }: JobsDeps) {
  const { calls, leaversMs } = takeTraffic(traffic);
  const now = clock.now();
  const at = { '>=': now - SAMPLE_MS };
  const open = { change: { '<>': null }, status: ['open', 'contested'] } as const;
  const [{ due, stuck }, drifts, requests, refused] = await Promise.all([
    readBacklog(read),
    countWhere(read, 'drifts', open),
    countWhere(read, 'requests', { at }),
    countWhere(read, 'requests', { at, status: { '>=': 400 } }),
  ]);
  // Rounded up, so that what is rare is not lost.
  const perMinute = (count: number) => Math.ceil((count * MINUTE) / SAMPLE_MS);
  return {
    at: now,
    calls: perMinute(calls),
    callsMax,
    requests: perMinute(requests),
    refused: perMinute(refused),
    due,
    stuck,
    drifts,
    leaversMs,
  };
}

/** A stop ends it after the transaction that runs. */
async function pruneAll(deps: JobsDeps, signal: AbortSignal): Promise<undefined> {
  const { ledgerMs, tombstonesMs } = deps.policy;
  const now = deps.clock.now();
  const deletedBefore = tombstonesMs === 0 ? 0 : now - tombstonesMs;
  for (const pruned of listPruned(now, ledgerMs, deletedBefore)) {
    let forgotten = PRUNE_MAX;
    while (forgotten === PRUNE_MAX && !signal.aborted) {
      forgotten = await deps.store.write((tx) => prune(tx, pruned, PRUNE_MAX));
    }
  }
  // Last, because a call or a drift that is kept stands in the way.
  await forgetTombstones(deps, deletedBefore, signal);
}

/** Hash of the rules that were applied last. */
const APPLIED = createShared<string>('rules');

/** Creates the reapplication of changed rules. After a crash it begins again; requests are served meanwhile. */
export function createReapplication(deps: ReconcileDeps) {
  const { store, clock } = deps;
  const { rules } = deps.rules.book;
  const hash = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  const applied = Promise.withResolvers<void>();
  const job = { type: 'rules', id: 'reapply', restMs: SECOND };
  const loop = createJob(deps, job, async (signal) => {
    // What rules would derive from an old backup waits for the same decision.
    if ((await findRecovery(store.read)) !== undefined) return SECOND;
    const last = await APPLIED.find(store.read);
    // A store that never had rules needs nothing while there are none.
    const isToApply = last === undefined ? rules.length > 0 : last !== hash;
    if (isToApply) {
      await applyRules(deps, signal);
      await store.write((tx) => APPLIED.save(tx, hash, clock.now()));
    }
    applied.resolve();
    return HOUR;
  });
  /** `applied` resolves once the rules hold everywhere. */
  return { ...loop, applied: applied.promise };
}
