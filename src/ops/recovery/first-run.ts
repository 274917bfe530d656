import type { Mode } from '../../reconcile/mode.ts';
import type { FirstRunItem, FirstRunOutcome, FirstRunView } from '../schemas/recovery.ts';
import type { SeatsView } from '../schemas/seats.ts';
import { readRecoveryView } from './view.ts';
import { parsePlace, toCursor, type WalkDeps, walk } from './walk.ts';

/** Sources of the preview. */
export interface FirstRunDeps extends WalkDeps {
  readonly mode: Mode;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly readSeats: () => Promise<SeatsView>;
}

/** One page of the preview of the first run. @throws InvalidRequest for a cursor that is none */
export async function readFirstRun(
  deps: FirstRunDeps,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<FirstRunView> {
  const place = parsePlace(cursor);
  const items: FirstRunItem[] = [];
  const counts = new Map<`${'user' | 'group'}.${FirstRunOutcome}`, number>();
  let last = place;
  let nextCursor: string | null = null;
  const seats = { needs: 0, frees: 0 };
  for await (const walked of walk(deps, place)) {
    const { type, outcome } = walked.item;
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
  const phase = await readPhase(deps);
  if (cursor !== undefined) return { ...phase, counts: null, seats: null, items, nextCursor };
  const { free: has } = await deps.readSeats();
  const known = { counts: Object.fromEntries(counts), seats: { ...seats, has } };
  return { ...phase, ...known, items, nextCursor };
}

async function readPhase({
  db,
  mode,
  now,
}: FirstRunDeps): Promise<Pick<FirstRunView, 'phase' | 'planId' | 'reading' | 'release'>> {
  const view = await readRecoveryView(db, { detection: undefined, now: now() });
  const { phase, reason, planId, reading, release } = view;
  const isFirstRun = reason?.code === 'first-run' && phase !== 'requested';
  const progress = { reading, release };
  if (mode === 'observe') return { phase: 'observing', planId: null, ...progress };
  return isFirstRun ? { phase, planId, ...progress } : { phase: 'none', planId: null, ...progress };
}
