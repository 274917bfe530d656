import type { Loop } from '../../domain/loop.ts';
import { countDrifts } from '../../store/drifts.ts';
import { pruneChanges } from '../../store/due.ts';
import { type Age, type OldRows, PRUNED, prune } from '../../store/engine/prune.ts';
import { countTakenSeats, readBacklog } from '../../store/resources/backlog.ts';
import { forgetNames } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import { countWhere, deleteWhere, insertNew } from '../../store/tables.ts';
import type { Traffic } from '../../telemetry/metrics.ts';
import type { ReconcileDeps } from '../deps.ts';
import { forgetTombstones } from '../erasure/erasure.ts';
import { createJob } from '../job.ts';
import { followLeavers } from './leavers.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Times of the periodic jobs, in milliseconds. */
const TIMES = {
  /** Time between two samples, and how long they are kept. */
  sample: MINUTE,
  samplesKept: 48 * HOUR,
  /** Old rows are looked for late at first: what changed while nobody led is more urgent. */
  firstPrune: 5 * MINUTE,
  prune: HOUR,
  /** Errands end within seconds, unless their process has died; a clock that is wrong by less loses none. */
  errandsKept: HOUR,
  /** Age up to which calls and events are kept, however many. */
  recent: 48 * HOUR,
  /** Longest time until leavers are looked for again. */
  leavers: 30 * SECOND,
};
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Ages of what is kept, in milliseconds. */
interface Retention {
  /** Calls, events of the audit log, requests, drifts, sweeps and plans. */
  readonly ledgerMs: number;
  /** Acts of operators and outages. */
  readonly actsMs: number;
  /** Deleted people and groups, by name; 0: for ever. */
  readonly tombstonesMs: number;
}

interface JobsDeps extends ReconcileDeps {
  readonly retention: Retention;
  /** Counts since the last sample. */
  readonly traffic: Traffic;
  /** Calls that the service takes in a minute; 0: any number. */
  readonly callsMax: number;
}

/** Creates the jobs that sample, forget what is old, and watch over those who leave. */
export function createPeriodicJobs(deps: JobsDeps): Loop[] {
  // What came before is no part of the first minute.
  takeTraffic(deps.traffic);
  const { sample, firstPrune, leavers } = TIMES;
  return [
    createJob(deps, { type: 'samples', id: 'store', restMs: sample, firstMs: sample }, () =>
      addSample(deps),
    ),
    createJob(
      deps,
      { type: 'ledger', id: 'prune', restMs: TIMES.prune, firstMs: firstPrune },
      (signal) => pruneAll(deps, signal),
    ),
    createJob(
      deps,
      { type: 'leavers', id: 'store', restMs: leavers, topic: 'left' },
      (signal, isTold) => followLeavers(deps, signal, isTold),
    ),
  ];
}

/** What was counted; the next count begins at nothing. */
function takeTraffic(traffic: Traffic): Traffic {
  const taken = { ...traffic };
  traffic.calls = 0;
  traffic.leaversMs = [];
  return taken;
}

/** Stores the sample of a minute for the charts of the console. */
async function addSample({ store, clock, callsMax, traffic }: JobsDeps): Promise<undefined> {
  const { read } = store;
  const { calls, leaversMs } = takeTraffic(traffic);
  const now = clock.now();
  const at = { '>=': now - TIMES.sample };
  const [backlog, drifts, seats, requests, refused] = await Promise.all([
    readBacklog(read),
    countDrifts(read),
    countTakenSeats(read),
    countWhere(read, 'requests', { at }),
    countWhere(read, 'requests', { at, status: { '>=': 400 } }),
  ]);
  const open = drifts.filter(({ status }) => status === 'open' || status === 'contested');
  const row = {
    at: now,
    calls,
    calls_max: callsMax,
    due: backlog.due,
    stuck: backlog.stuck,
    drifts: open.reduce((sum, { count }) => sum + count, 0),
    requests,
    refused,
    leavers: JSON.stringify(leaversMs),
    seats,
  };
  await store.write(async (tx) => {
    await deleteWhere(tx, 'samples', { at: { '<': now - TIMES.samplesKept } });
    await insertNew(tx, 'samples', [row]);
  });
}

/** Forgets what is old; a stop ends it after the transaction that runs. */
async function pruneAll(deps: JobsDeps, signal: AbortSignal): Promise<undefined> {
  const { ledgerMs, actsMs, tombstonesMs } = deps.retention;
  const now = deps.clock.now();
  const ages: Readonly<Record<Age, Omit<OldRows, 'limit'>>> = {
    past: { before: now - ledgerMs },
    recent: { before: now - ledgerMs, keptFrom: now - TIMES.recent },
    acts: { before: now - actsMs },
    expiry: { before: now },
    errand: { before: now - TIMES.errandsKept },
    tombstone: { before: tombstonesMs === 0 ? 0 : now - tombstonesMs },
  };
  const forgetters = PRUNED.map((pruned) => (tx: Db, limit: number) => {
    return prune(tx, pruned, { ...ages[pruned.age], limit });
  });
  for (const forget of [...forgetters, pruneChanges]) {
    let forgotten = PRUNE_MAX;
    while (forgotten === PRUNE_MAX && !signal.aborted) {
      forgotten = await deps.store.write((tx) => forget(tx, PRUNE_MAX));
    }
  }
  // Former names of people and groups are kept while they protect one.
  const { protection } = deps.rules;
  await forgetNames(deps.store, ({ type, name }) => !protection.protectsName(type, name));
  // Last, because a call or a drift that is kept stands in the way.
  await forgetTombstones(deps, ages.tombstone.before, signal);
}
