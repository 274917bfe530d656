import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { RECOVERY } from '../../reconcile/repair/recovery-plan.ts';
import { ok, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { FIRST_RUN } from '../lists/plans.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { parsePlace, toCursor, walk } from './walk.ts';

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route({
    ...FIRST_RUN,
    handle: async (sources: OpsSources, { query }) => ok(await readFirstRun(sources, query)),
  }),
  route({
    path: '/recovery',
    summary: 'Where recovery stands.',
    answers: { 200: 'Recovery' },
    handle: async (sources: OpsSources) => ok(await readRecovery(sources)),
  }),
] as const;

/** One page of the preview of the first run. @throws InvalidRequest for a cursor that is none */
async function readFirstRun(
  sources: OpsSources,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<OpsJson<'FirstRun'>> {
  const place = parsePlace(cursor);
  const items: OpsJson<'FirstRunItem'>[] = [];
  const counts = new Map<`${'user' | 'group'}.${OpsJson<'FirstRunItem'>['outcome']}`, number>();
  let last = place;
  let nextCursor: string | null = null;
  const kinds: Record<string, number> = {};
  const seats = { needs: 0, frees: 0 };
  for await (const walked of walk({ db: sources.store.read, rules: sources.rules }, place)) {
    const { type, outcome, changes } = walked.item;
    for (const { kind, count } of changes) kinds[kind] = (kinds[kind] ?? 0) + count;
    counts.set(`${type}.${outcome}`, (counts.get(`${type}.${outcome}`) ?? 0) + 1);
    if (walked.seat !== undefined) seats[walked.seat] += 1;
    if (items.length < limit) {
      items.push(walked.item);
      last = walked.place;
      continue;
    }
    nextCursor = toCursor(last);
    // The first page counts to the end.
    if (cursor !== undefined) break;
  }
  const phase = await readPhase(sources);
  if (cursor !== undefined)
    return { ...phase, counts: null, kinds: null, seats: null, items, nextCursor };
  const { free: has } = await sources.status.readSeats();
  const known = { counts: Object.fromEntries(counts), kinds, seats: { ...seats, has } };
  return { ...phase, ...known, items, nextCursor };
}

async function readPhase(
  sources: OpsSources,
): Promise<Pick<OpsJson<'FirstRun'>, 'phase' | 'planId' | 'reading'>> {
  const { phase, reason, planId, reading } = await readRecovery(sources);
  const isObserving = sources.status.writes().mode === 'observe';
  if (isObserving) return { phase: 'observing', planId: null, reading };
  const isFirstRun = reason?.code === 'first-run' && phase !== 'requested';
  return isFirstRun ? { phase, planId, reading } : { phase: 'none', planId: null, reading };
}

/** Where recovery stands, with what the leader knows of it. */
async function readRecovery({ store, status }: OpsSources): Promise<OpsJson<'Recovery'>> {
  const { detection, reading } = status.news();
  const state = await RECOVERY.find(store.read);
  const none = { detection, since: null, reason: null, planId: null, reading: null };
  if (state === undefined) return { ...none, phase: 'none' };
  const progress = state.phase === 'reading' ? toReadingView(reading) : null;
  return { detection, ...state, since: toMoment(state.since), reading: progress };
}

/** Renders how far a complete read of the service has come; null: nothing is read. */
export function toReadingView(reading: ReadProgress | null): OpsJson<'Reading'> | null {
  if (reading === null) return null;
  const { step, count: read, total, endsAt } = reading;
  return { step, read, expected: total ?? null, endsAt: toMoment(endsAt ?? null) };
}
