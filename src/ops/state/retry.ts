import type { ResourceKey } from '../../domain/ids.ts';
import { listRestingGroupsOf, type Retried, retryEach, retryResting } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listMeant } from '../../store/resources/find.ts';
import { listWhere, type Row } from '../../store/tables.ts';
import { getOnly } from '../http/keyed.ts';
import { ok, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { RETRY } from '../lists/acts.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

const LISTED_MAX = 100;

/** Request that has tried at once what is stuck or waits for its next attempt. */
export const retryRoutes = [
  route({
    ...RETRY,
    async handle(sources: OpsSources, { body }) {
      if (!('name' in body)) return toTried(await retryAll(sources));
      const row = getOnly(await listMeant(sources.store.read, body.name));
      return { ...toTried(await retryOne(sources, row)), target: row.id };
    },
  }),
] as const;

function toTried(tried: readonly Retried[]) {
  const count = tried.length;
  return {
    ...ok({ count, tried: tried.slice(0, LISTED_MAX) }),
    change: { after: { tried: count } },
  };
}

/** Makes due what waits of one user or group. */
async function retryOne({ store, clock }: OpsSources, key: ResourceKey): Promise<Retried[]> {
  // A membership of the user that waits is a change of its group.
  const groups =
    key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, clock.now()) : [];
  const tried = await store.write((tx) => retryEach(tx, [key, ...groups], clock.now()));
  store.bell.ring('due');
  return tried;
}

async function retryAll({ store, clock }: OpsSources): Promise<Retried[]> {
  const at = clock.now();
  const tried: Retried[] = [];
  await retryResting(store, { now: at, beyond: at }, (some) => {
    tried.push(...some);
    store.bell.ring('due');
  });
  return tried;
}

const MINUTE_MS = 60_000;
/** Minutes that an entry covers, by the hours that are asked for: a chart of a day has 288 entries. */
const STEPS = { '1': 1, '24': 5, '48': 10 } as const;

/** The request for the past in numbers. */
export const sampleRoutes = [
  route({
    path: '/samples',
    summary: 'Calls, backlog, differences and refusals of the last hours, for charts.',
    filters: { hours: ['1', '24', '48'] },
    meanings: { hours: 'How far back; 24 when left out.' },
    answers: { 200: 'Samples' },
    async handle({ store, clock }: OpsSources, { query }) {
      const { hours = '24' } = query.filters;
      const at = { '>=': clock.now() - Number(hours) * 60 * MINUTE_MS };
      const rows = await listWhere(store.read, 'samples', { at }, { order: 'at' });
      return ok(toSamples(rows, STEPS[hours] * MINUTE_MS));
    },
  }),
] as const;

function toSamples(rows: readonly Row<'samples'>[], everyMs: number): OpsJson<'Samples'> {
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
function toItem(rows: readonly Row<'samples'>[]): OpsJson<'Samples'>['items'][number] {
  const [first] = rows;
  const mean = (key: 'calls' | 'requests' | 'refused') =>
    Math.ceil(rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  const most = (key: 'due' | 'drifts' | 'stuck') => Math.max(...rows.map((row) => row[key]));
  return {
    at: toMoment(first?.at ?? 0),
    calls: mean('calls'),
    requests: mean('requests'),
    refused: mean('refused'),
    due: most('due'),
    drifts: most('drifts'),
    stuck: most('stuck'),
  };
}

function toLeavers(times: readonly number[]): OpsJson<'Samples'>['leavers'] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  if (sorted.length === 0) return null;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), slowestMs: at(1) };
}
