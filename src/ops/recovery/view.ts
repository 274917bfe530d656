import type { Detection } from '../../reconcile/repair/recovery-detect.ts';
import { findRecovery } from '../../reconcile/repair/recovery-state.ts';
import { findReleaseProgress } from '../../reconcile/repair/release-progress.ts';
import type { Db } from '../../store/store.ts';
import { toMoment } from '../http/moment.ts';
import type { RecoveryView } from '../schemas/recovery.ts';
import { toReleaseView } from './release.ts';

/** Reads the state of recovery. `now` is epoch milliseconds. */
export async function readRecoveryView(
  db: Db,
  { detection, now }: { detection: Detection | undefined; now: number },
): Promise<RecoveryView> {
  const state = await findRecovery(db);
  const release = toReleaseView(await findReleaseProgress(db, now));
  const known = { detection: detection ?? null, release };
  if (state === undefined)
    return { phase: 'none', ...known, since: null, reason: null, planId: null };
  const since = toMoment(state.since);
  if (state.phase === 'requested') {
    return { phase: state.phase, ...known, since, reason: { code: 'restored' }, planId: null };
  }
  const { phase, reason, planId } = state;
  return { phase, ...known, since, reason, planId };
}
