import type { ResourceKey } from '../../domain/ids.ts';
import { listRestingGroupsOf, retryEach, retryResting } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listMeant } from '../../store/resources/find.ts';
import { listWhere, type Row } from '../../store/tables.ts';
import { answerKeyed } from '../http/keyed.ts';
import { ok, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { RETRY } from '../lists/acts.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Request that has tried at once what is stuck or waits for its next attempt. */
export const retryRoutes = [
  route({
    ...RETRY,
    async handle(sources: OpsSources, { body }) {
      if (!('name' in body)) return toTried(await retryAll(sources));
      return answerKeyed(await listMeant(sources.store.read, body.name), async (row) => {
        return { ...toTried(await retryOne(sources, row)), target: row.id };
      });
    },
  }),
] as const;

function toTried(count: number) {
  return { ...ok({ count }), change: { after: { tried: count } } };
}

/** Makes due what waits of one user or group. */
async function retryOne({ store, clock }: OpsSources, key: ResourceKey): Promise<number> {
  // A membership of the user that waits is a change of its group.
  const groups =
    key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, clock.now()) : [];
  const count = await store.write((tx) => retryEach(tx, [key, ...groups], clock.now()));
  store.bell.ring('due');
  return count;
}

async function retryAll({ store, clock }: OpsSources): Promise<number> {
  const at = clock.now();
  let count = 0;
  await retryResting(store, { now: at, beyond: at }, (tried) => {
    count += tried;
    store.bell.ring('due');
  });
  return count;
}

const DAY_MS = 24 * 3_600_000;
/** Time that an entry covers, so that a chart has 288. */
const STEP_MS = 5 * 60_000;

/** The request for the past in numbers. */
export const sampleRoutes = [
  route({
    method: 'get',
    path: '/samples',
    tag: 'State',
    summary: 'Calls, backlog, differences and refusals of the last 24 hours, for charts.',
    answers: { 200: 'Samples' },
    async handle({ store, clock }: OpsSources) {
      const at = { '>=': clock.now() - DAY_MS };
      return ok(toSamples(await listWhere(store.read, 'samples', { at }, { order: 'at' })));
    },
  }),
] as const;

function toSamples(rows: readonly Row<'samples'>[]): OpsJson<'Samples'> {
  const steps = Map.groupBy(rows, ({ at }) => Math.floor(at / STEP_MS));
  return {
    everyMs: STEP_MS,
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
  const mean = (key: 'calls' | 'refused') =>
    Math.ceil(rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  const most = (key: 'due' | 'drifts' | 'stuck') => Math.max(...rows.map((row) => row[key]));
  return {
    at: toMoment(first?.at ?? 0),
    calls: mean('calls'),
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
