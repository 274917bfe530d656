import { ok, route } from '../http/route.ts';
import { FIRST_RUN } from '../lists/plans.ts';
import type { FirstRunItem, FirstRunOutcome, FirstRunView } from '../schemas/recovery.ts';
import type { OpsSources } from '../sources.ts';
import { readRecoveryView } from './view.ts';
import { parsePlace, toCursor, walk } from './walk.ts';

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route({
    ...FIRST_RUN,
    handle: async (sources: OpsSources, { query }) => ok(await readFirstRun(sources, query)),
  }),
  route({
    method: 'get',
    path: '/recovery',
    tag: 'Going live and recovery',
    summary: 'Where recovery stands.',
    answers: { 200: 'Recovery' },
    async handle({ store, clock, findDetection, findReading }: OpsSources) {
      const known = { detection: findDetection(), reading: findReading(), now: clock.now() };
      return ok(await readRecoveryView(store.read, known));
    },
  }),
] as const;

/** One page of the preview of the first run. @throws InvalidRequest for a cursor that is none */
async function readFirstRun(
  sources: OpsSources,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<FirstRunView> {
  const place = parsePlace(cursor);
  const items: FirstRunItem[] = [];
  const counts = new Map<`${'user' | 'group'}.${FirstRunOutcome}`, number>();
  let last = place;
  let nextCursor: string | null = null;
  const kinds: Record<string, number> = {};
  const seats = { needs: 0, frees: 0 };
  const { deactivation, privileges } = sources;
  for await (const walked of walk({ db: sources.store.read, deactivation, ...privileges }, place)) {
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

async function readPhase({
  store,
  clock,
  status,
  findReading,
}: OpsSources): Promise<Pick<FirstRunView, 'phase' | 'planId' | 'reading' | 'release'>> {
  const known = { detection: undefined, reading: findReading(), now: clock.now() };
  const view = await readRecoveryView(store.read, known);
  const { phase, reason, planId, reading, release } = view;
  const isFirstRun = reason?.code === 'first-run' && phase !== 'requested';
  const progress = { reading, release };
  if (status.writes().mode === 'observe') return { phase: 'observing', planId: null, ...progress };
  return isFirstRun ? { phase, planId, ...progress } : { phase: 'none', planId: null, ...progress };
}
