import type { Detection } from '../../reconcile/repair/recovery-detect.ts';
import { findRecovery } from '../../reconcile/repair/recovery-state.ts';
import { findReleaseProgress } from '../../reconcile/repair/release-progress.ts';
import { countHeldActions, listHeldViews } from '../../store/plans/held.ts';
import type { Db } from '../../store/store.ts';
import type { RecoveryView } from '../schemas/recovery.ts';
import { toReleaseView } from './release.ts';

/** Actions of a plan that are shown one by one; the counts are about all. */
const ACTIONS_MAX = 200;

/** Reads the state of recovery, with the plan that waits. `now` is epoch milliseconds. */
export async function readRecoveryView(
  db: Db,
  { detection, now }: { detection: Detection | undefined; now: number },
): Promise<RecoveryView> {
  const state = await findRecovery(db);
  const release = toReleaseView(await findReleaseProgress(db, now));
  const known = { detection: detection ?? null, release };
  if (state === undefined)
    return { phase: 'none', ...known, since: null, reason: null, plan: null };
  const since = new Date(state.since).toISOString();
  if (state.phase === 'requested') {
    return { phase: state.phase, ...known, since, reason: { code: 'restored' }, plan: null };
  }
  const { phase, reason } = state;
  if (phase === 'reading') return { phase, ...known, since, reason, plan: null };
  const counts = await countHeldActions(db);
  const plan = {
    hash: state.plan.hash,
    readSince: new Date(state.plan.readSince).toISOString(),
    total: state.plan.actions,
    kinds: Object.fromEntries(counts.map(({ kind, count }) => [kind, count])),
    actions: await listHeldViews(db, ACTIONS_MAX),
  };
  return { phase, ...known, since, reason, plan };
}
