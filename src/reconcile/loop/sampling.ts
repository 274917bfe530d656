import { countDrifts } from '../../store/drift-views.ts';
import { readBacklog } from '../../store/resources/backlog.ts';
import { countRequestsSince, insertSample, type SampleRow } from '../../store/samples.ts';
import { countTakenSeats } from '../../store/users/seats.ts';
import type { TrafficCounter } from '../../telemetry/metrics.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';

/** Time between two samples, in milliseconds. */
const SAMPLE_MS = 60_000;

interface SamplingDeps extends Pick<ReconcileDeps, 'store' | 'clock' | 'events'> {
  readonly traffic: Pick<TrafficCounter, 'take'>;
  /** Calls that the service takes in a minute; 0: any number. */
  readonly callsMax: number;
}

/** Creates what keeps a sample of each minute for the charts of the console, under one lead. */
export function createSampling(deps: SamplingDeps) {
  const { store, clock, events, traffic } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  async function sample(): Promise<void> {
    try {
      const row = await readSample(deps, traffic.take(), clock.now());
      await store.write((tx) => insertSample(tx, row));
    } catch (error) {
      if (!isNotLeading(error)) events.failed({ type: 'samples', id: 'store', error });
    }
  }

  return {
    /** Stores the sample of now; called each minute. */
    sample,
    start() {
      traffic.take();
      timer = setInterval(() => {
        running = sample();
      }, SAMPLE_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function readSample(
  { store: { read }, callsMax }: SamplingDeps,
  { calls, leaversMs }: ReturnType<TrafficCounter['take']>,
  now: number,
): Promise<SampleRow> {
  const [backlog, drifts, seats, { requests, refused }] = await Promise.all([
    readBacklog(read),
    countDrifts(read),
    countTakenSeats(read),
    countRequestsSince(read, now - SAMPLE_MS),
  ]);
  const open = drifts.filter(({ status }) => status === 'open' || status === 'contested');
  return {
    ...{ at: now, calls, calls_max: callsMax, due: backlog.due, stuck: backlog.stuck },
    drifts: open.reduce((sum, { count }) => sum + count, 0),
    ...{ requests, refused, leavers: JSON.stringify(leaversMs), seats },
  };
}
