import { parseStored } from '../../store/engine/columns.ts';
import { listSamples, type SampleRow } from '../../store/samples.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import type { SamplesAnswer } from '../schemas/samples.ts';
import type { OpsSources } from '../sources.ts';

const MINUTE_MS = 60_000;
/** Minutes that an entry covers, by the hours that are asked for: a chart of a day has 288 entries. */
const STEPS = { '1': 1, '24': 5, '48': 10 } as const;
const DAY = '24';

/** The request for the past in numbers. */
export const sampleRoutes = [
  route({
    method: 'get',
    path: '/samples',
    tag: 'State',
    summary: 'Calls, backlog, differences and refusals of the last hours, for charts.',
    filters: { hours: ['1', '24', '48'] },
    meanings: { hours: 'How far back; 24 when left out.' },
    answers: { 200: 'Samples' },
    async handle({ store, clock }: OpsSources, { query }) {
      const { hours = DAY } = query.filters;
      const since = clock.now() - Number(hours) * 60 * MINUTE_MS;
      return ok(toSamples(await listSamples(store.read, since), STEPS[hours]));
    },
  }),
] as const;

function toSamples(rows: readonly SampleRow[], minutes: number): SamplesAnswer {
  const everyMs = minutes * MINUTE_MS;
  const steps = Map.groupBy(rows, ({ at }) => Math.floor(at / everyMs));
  return {
    everyMs,
    callsMax: rows.at(-1)?.calls_max || null,
    leavers: toLeavers(rows.flatMap(({ leavers }) => parseStored<number[]>(leavers))),
    items: [...steps.values()].map(toItem),
  };
}

/**
 * What happens is told as of one minute, rounded up, so that what is rare is not told as nothing; and what is there as
 * the most that was there.
 */
function toItem(rows: readonly SampleRow[]): SamplesAnswer['items'][number] {
  const [first] = rows;
  const mean = (key: 'calls' | 'requests' | 'refused') =>
    Math.ceil(rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  const most = (key: 'due' | 'drifts' | 'stuck') => Math.max(...rows.map((row) => row[key]));
  return {
    at: toMoment(first?.at ?? 0),
    ...{ calls: mean('calls'), requests: mean('requests'), refused: mean('refused') },
    ...{ due: most('due'), drifts: most('drifts'), stuck: most('stuck') },
  };
}

function toLeavers(times: readonly number[]): SamplesAnswer['leavers'] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  if (sorted.length === 0) return null;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), slowestMs: at(1) };
}
