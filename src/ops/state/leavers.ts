import type { LateLeaver, LateLeavers } from '../../store/changes.ts';
import { toMoment } from '../http/moment.ts';
import type { Status } from '../schemas/state.ts';
import type { WritesFacts } from './readiness-facts.ts';

/** Decision of an operator that keeps leavers in. */
export type LeaverHold = NonNullable<NonNullable<Status['leavers']>['heldBy']>;

/** Finds the decision of an operator that keeps a leaver in; undefined: the service does. */
export function findLeaverHold(
  { plan }: Pick<LateLeaver, 'plan'>,
  { mode, pause }: WritesFacts,
): LeaverHold | undefined {
  if (plan !== null) return 'plan';
  if (mode === 'observe') return 'observe-mode';
  return pause && 'writes-paused';
}

/** Renders the leavers who are not out; null: there are none. */
export function toLeaversStatus({ count, some }: LateLeavers, writes: WritesFacts) {
  const [oldest] = some;
  if (oldest === undefined) return null;
  const heldBy = findLeaverHold(oldest, writes) ?? null;
  return { count, since: toMoment(oldest.acceptedAt), heldBy, plan: oldest.plan };
}
