import type { Loop } from '../../domain/loop.ts';
import { countDrifts } from '../../store/drifts.ts';
import { countTakenSeats, readBacklog } from '../../store/resources/backlog.ts';
import { countWhere, deleteWhere, insertNew, type Row } from '../../store/tables.ts';
import type { Traffic } from '../../telemetry/metrics.ts';
import { createJob, type JobDeps } from '../job.ts';

/** Time between two samples, in milliseconds. */
const SAMPLE_MS = 60_000;
/** How long samples are kept, in milliseconds. */
const KEPT_MS = 48 * 3_600_000;

interface SamplingDeps extends JobDeps {
  readonly traffic: Traffic;
  /** Calls that the service takes in a minute; 0: any number. */
  readonly callsMax: number;
}

/** Creates what keeps a sample of each minute for the charts of the console, under one lead. */
export function createSampling(deps: SamplingDeps): Loop {
  const { store, clock, traffic } = deps;
  // What came before is no part of the first minute.
  take(traffic);
  const job = { type: 'samples', id: 'store', restMs: SAMPLE_MS, firstMs: SAMPLE_MS };
  return createJob(deps, job, async () => {
    const row = await readSample(deps, take(traffic), clock.now());
    await store.write(async (tx) => {
      await deleteWhere(tx, 'samples', { at: { '<': row.at - KEPT_MS } });
      await insertNew(tx, 'samples', [row]);
    });
    return SAMPLE_MS;
  });
}

/** What was counted; the next count begins at nothing. */
function take(traffic: Traffic): Traffic {
  const taken = { ...traffic };
  traffic.calls = 0;
  traffic.leaversMs = [];
  return taken;
}

async function readSample(
  { store: { read }, callsMax }: SamplingDeps,
  { calls, leaversMs }: Traffic,
  now: number,
): Promise<Row<'samples'>> {
  const at = { '>=': now - SAMPLE_MS };
  const [backlog, drifts, seats, requests, refused] = await Promise.all([
    readBacklog(read),
    countDrifts(read),
    countTakenSeats(read),
    countWhere(read, 'requests', { at }),
    countWhere(read, 'requests', { at, status: { '>=': 400 } }),
  ]);
  const open = drifts.filter(({ status }) => status === 'open' || status === 'contested');
  return {
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
}
