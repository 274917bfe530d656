import { estimateEnd, findOpenStep, getStep, readProgress } from '../../reconcile/read/progress.ts';
import { READ_AGAIN_FACT } from '../../reconcile/repair/read-again.ts';
import type { Detection } from '../../reconcile/repair/recovery-detect.ts';
import { RECOVERY } from '../../reconcile/repair/recovery-state.ts';
import { findReleaseProgress } from '../../reconcile/repair/release-progress.ts';
import type { Db } from '../../store/store.ts';
import { toMoment } from '../http/moment.ts';
import type { ReadingView } from '../schemas/kinds.ts';
import type { RecoveryView } from '../schemas/recovery.ts';
import { toReleaseView } from './release.ts';

/** Reads the state of recovery. `now` is epoch milliseconds. */
export async function readRecoveryView(
  db: Db,
  { detection, now }: { detection: Detection | undefined; now: number },
): Promise<RecoveryView> {
  const state = await RECOVERY.find(db);
  const release = toReleaseView(await findReleaseProgress(db, now));
  const known = { detection: detection ?? null, release };
  const calm = { ...known, since: null, reason: null, planId: null, reading: null };
  if (state === undefined) return { ...calm, phase: 'none' };
  const since = toMoment(state.since);
  if (state.phase === 'requested') {
    return { ...calm, phase: state.phase, since, reason: { code: 'restored' } };
  }
  const { phase, reason, planId } = state;
  const reading = phase === 'reading' ? await readReading(db, now) : null;
  return { ...known, phase, since, reason, planId, reading };
}

/** How far the list has come that is read now; null between two lists. */
async function readReading(db: Db, now: number): Promise<ReadingView | null> {
  const progress = await readProgress(db, READ_AGAIN_FACT);
  const step = findOpenStep(progress);
  if (step === undefined) return null;
  const list = getStep(progress, step);
  return toReadingView({ ...list, step, endsAt: estimateEnd(list, now) });
}

/** Renders how far a complete read of the service has come. */
export function toReadingView({ step, count: read, total, endsAt }: Reading): ReadingView {
  return { step, read, expected: total ?? null, endsAt: toMoment(endsAt ?? null) };
}

/** Progress of one list; `endsAt` is epoch milliseconds. */
interface Reading {
  readonly step: string;
  readonly count: number;
  readonly total?: number | undefined;
  readonly endsAt?: number | undefined;
}
