import type { ResourceKey } from '../../domain/ids.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { listRestingGroupsOf, type Retried, retryEach, retryResting } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listMeant } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listNewest, listWhere, type Row } from '../../store/tables.ts';
import { missing } from '../http/body.ts';
import { getOnly, listRoute, ok, route } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { acts } from '../lists/acts.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about sweeps, for another attempt at what waits, and for the past in numbers. */
export const workRoutes = [
  route(acts.RETRY, async (sources, { body }) => {
    const key =
      'name' in body ? getOnly(await listMeant(sources.store.read, body.name)) : undefined;
    const tried = await (key ? retryOne(sources, key) : retryAll(sources));
    const count = tried.length;
    const json = { count, tried: tried.slice(0, LISTED_MAX) };
    return { json, change: { after: { tried: count } }, target: key?.id };
  }),
  route(
    {
      path: '/samples',
      summary: 'Calls, backlog, differences and refusals of the last hours, for charts.',
      filters: { hours: ['1', '24', '48'] },
      meanings: { hours: 'How far back; 24 when left out.' },
      answers: { 200: 'Samples' },
    },
    async ({ store, clock }, { query }) => {
      const { hours = '24' } = query.filters;
      const at = { '>=': clock.now() - Number(hours) * 60 * MINUTE_MS };
      const rows = await listWhere(store.read, 'samples', { at }, { order: 'at' });
      return ok(toSamples(rows, STEPS[hours] * MINUTE_MS));
    },
  ),
  route(acts.SWEEP, async ({ requestSweep }, { body: { dryRun = false } }) => {
    const id = await requestSweep(dryRun);
    return { json: { id }, target: id, change: { after: { dryRun } } };
  }),
  listRoute(
    {
      path: '/sweeps',
      summary: 'Sweeps, the newest first.',
      filters: {},
      answers: { 200: 'SweepList' },
    },
    ({ store }, _filters, part) => listNewest(store.read, 'sweeps', {}, part),
    (row, { news }) => toSweep(row, news().reading),
  ),
  route(
    { path: '/sweeps/{id}', summary: 'One sweep.', answers: { 200: 'Sweep' } },
    async ({ store, news }, { params: { id } }) => {
      const row = await findOne(store.read, 'sweeps', { id });
      const sweep = row ?? missing('There is no sweep with this id.', 'unknown-sweep');
      return ok(toSweep(sweep, news().reading));
    },
  ),
] as const;

/** Finds the newest sweep, which may run; null: there was none. */
export async function findLastSweep(db: Db, reading: ReadProgress | null) {
  const last = await findOne(db, 'sweeps', {}, { order: 'seq desc' });
  return last === undefined ? null : toSweep(last, reading);
}

function toSweep(row: Row<'sweeps'>, reading: ReadProgress | null): OpsJson<'Sweep'> {
  const progress = row.status === 'running' ? toReadingView(reading) : null;
  return toView('Sweep', row, { admins: row.reads_admins, progress });
}

const LISTED_MAX = 100;

async function retryOne({ store, clock }: OpsSources, key: ResourceKey): Promise<Retried[]> {
  const now = clock.now();
  // A membership of the user that waits is a change of its group.
  const groups = key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, now) : [];
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

function toSamples(rows: readonly Row<'samples'>[], everyMs: number): OpsJson<'Samples'> {
  const steps = Map.groupBy(rows, ({ at }) => Math.floor(at / everyMs));
  const took = rows.flatMap(({ leavers }) => parseStored<number[]>(leavers));
  const sorted = took.toSorted((a, b) => a - b);
  const count = sorted.length;
  const at = (share: number) => sorted[Math.ceil(count * share) - 1] ?? 0;
  const view = {
    everyMs,
    callsMax: rows.at(-1)?.calls_max || null,
    leavers: count > 0 ? { count, p50Ms: at(0.5), p95Ms: at(0.95), slowestMs: at(1) } : null,
    items: [...steps.values()].map(toItem),
  };
  return toView('Samples', view, {});
}

/** What happens counts as of one minute, rounded up, so that what is rare is not lost; what is there, as the most of it. */
function toItem(rows: readonly Row<'samples'>[]) {
  const mean = (key: 'calls' | 'requests' | 'refused') =>
    Math.ceil(rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  const most = (key: 'due' | 'drifts' | 'stuck') => Math.max(...rows.map((row) => row[key]));
  const [calls, requests, refused] = [mean('calls'), mean('requests'), mean('refused')];
  const [due, drifts, stuck] = [most('due'), most('drifts'), most('stuck')];
  return { at: rows[0]?.at ?? 0, calls, requests, refused, due, drifts, stuck };
}
