import { onlyWaiting } from '../../domain/cell.ts';
import { ATTEMPTS_WITH_LOOK, findFailed } from '../../domain/failure.ts';
import type { UserState } from '../../domain/user.ts';
import { withoutResting } from '../retry-columns.ts';

/** State from which the next step is planned: a stuck change rests until its time, as if it did not wait. */
export function toPlannable(state: UserState, now: number): UserState {
  const { rests, ...left } = withoutResting(state, { existence: 'account', now });
  const plannable = { ...state, ...left };
  return !rests && isRemovable(plannable) ? toRemoval(plannable) : plannable;
}

/** True when the look before a removal of access has failed too often to wait for it. */
function isRemovable({ mustLook, upstreamId, observed, desired, deleted, cells }: UserState) {
  if (!mustLook || upstreamId === undefined || observed === undefined) return false;
  const isTaken = deleted || !desired.active;
  const isKnownActive = observed.active && observed.temporarilyInactive !== true;
  return (
    isTaken && isKnownActive && (findFailed(cells.active)?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK
  );
}

/** The state with the removal of access alone. */
function toRemoval(state: UserState): UserState {
  return { ...state, mustLook: false, cells: onlyWaiting(state.cells, ['active']) };
}
