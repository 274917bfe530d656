import type { Detection } from '../reconcile/recovery/detect.ts';
import { findRecovery, type RecoveryReason } from '../reconcile/recovery/state.ts';
import type { Db } from '../store/database.ts';
import { countHeldActions } from '../store/held-actions.ts';
import { type HeldView, listHeldViews } from '../store/held-views.ts';

/** How many actions of a plan are shown one by one; the counts are about all. */
const ACTIONS_MAX = 200;

/** What waits for an operator. Moments are ISO 8601; names are personal. */
export interface PlanView {
  /** What `approve` and `discard` are to be given. */
  readonly hash: string;
  /** When the complete read that it rests on began. */
  readonly readSince: string;
  readonly total: number;
  readonly kinds: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly actions: readonly HeldView[];
}

/** Where recovery stands, for an operator. */
export interface RecoveryView {
  readonly phase: 'none' | 'requested' | 'reading' | 'waiting' | 'releasing';
  /** What the audit log told at the last start; null: it was not asked. */
  readonly detection: Detection | null;
  readonly since: string | null;
  readonly reason: RecoveryReason | null;
  readonly plan: PlanView | null;
}

/** Reads where recovery stands, with the plan that waits. */
export async function readRecoveryView(
  db: Db,
  detection: Detection | undefined,
): Promise<RecoveryView> {
  const state = await findRecovery(db);
  const known = { detection: detection ?? null };
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
