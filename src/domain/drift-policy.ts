import { findRepair, isGranting } from './change.ts';
import type { Difference, DriftKind } from './drift.ts';
import { isUnmanagedKind } from './drift.ts';

/** Automatic reactions to a drift. */
export const DRIFT_ACTIONS = ['report', 'repair', 'accept'] as const;

/** Automatic reaction to a drift: show it, bring the service to what is desired, or take what is observed. */
export type DriftAction = (typeof DRIFT_ACTIONS)[number];

/** Reaction to each kind of drift; settings: drift.policy. */
export interface DriftPolicy {
  readonly default: DriftAction;
  readonly kinds: Readonly<Partial<Record<DriftKind, DriftAction>>>;
}

/** Finds the reaction. The default never reaches unmanaged ones, and never accepts a difference that grants more. */
export function findDriftAction(
  { default: otherwise, kinds }: DriftPolicy,
  difference: Pick<Difference, 'kind' | 'desired' | 'observed'>,
): DriftAction {
  const named = kinds[difference.kind];
  if (named !== undefined) return named;
  if (isUnmanagedKind(difference.kind)) return 'report';
  const kind = findRepair(difference.kind);
  const isGrant = kind !== undefined && isGranting({ ...difference, kind });
  return otherwise === 'accept' && isGrant ? 'report' : otherwise;
}

/** The kinds of which some drift may be more than reported. */
export function listActedOn(policy: DriftPolicy, kinds: readonly DriftKind[]): DriftKind[] {
  return kinds.filter((kind) => {
    const action = policy.kinds[kind] ?? (isUnmanagedKind(kind) ? 'report' : policy.default);
    return action !== 'report';
  });
}
