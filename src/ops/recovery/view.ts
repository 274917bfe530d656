import type { ReadProgress } from '../../reconcile/read/reading.ts';
import type { Detection } from '../../reconcile/repair/recovery-detect.ts';
import { RECOVERY } from '../../reconcile/repair/recovery-state.ts';
import { findReleaseProgress } from '../../reconcile/repair/release-progress.ts';
import type { Db } from '../../store/store.ts';
import { toMoment } from '../http/moment.ts';
import type { ReadingView, ReleaseView } from '../schemas/kinds.ts';
import type { RecoveryView } from '../schemas/recovery.ts';

/** What the leader knows of recovery; `now` is epoch milliseconds. */
interface RecoverySources {
  readonly detection: Detection | undefined;
  readonly reading: ReadProgress | null;
  readonly now: number;
}

/** Reads the state of recovery. */
export async function readRecoveryView(
  db: Db,
  { detection, reading, now }: RecoverySources,
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
  const progress = phase === 'reading' ? toReadingView(reading) : null;
  return { ...known, phase, since, reason, planId, reading: progress };
}

/** Renders how far a complete read of the service has come; null: nothing is read. */
export function toReadingView(reading: ReadProgress | null): ReadingView | null {
  if (reading === null) return null;
  const { step, count: read, total, endsAt } = reading;
  return { step, read, expected: total ?? null, endsAt: toMoment(endsAt ?? null) };
}

/** Renders how far an approved plan has come. */
export function toReleaseView(
  progress: Awaited<ReturnType<typeof findReleaseProgress>>,
): ReleaseView | null {
  if (progress === undefined) return null;
  const { startedAt, endsAt, ...counts } = progress;
  return { ...counts, startedAt: toMoment(startedAt), endsAt: endsAt ? toMoment(endsAt) : null };
}
