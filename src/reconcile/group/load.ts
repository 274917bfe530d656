import { onlyWaiting } from '../../domain/cell.ts';
import { ATTEMPTS_WITH_LOOK, findFailed } from '../../domain/failure.ts';
import type { GroupState, LinkChange } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { GroupPolicy } from '../../plan/plan-group.ts';
import { listWaitingLinks, type WaitingLinks } from '../../store/links/waiting.ts';
import type { Db } from '../../store/store.ts';
import { withoutResting } from '../retry-columns.ts';

/** Query of the waiting members and admins of a group. */
export interface LinkQuery {
  readonly policy: GroupPolicy;
  readonly inactiveWait: boolean;
  readonly now: number;
}

/** State from which the next step is planned: a stuck change rests until its time, as if it did not wait. */
export function toPlannable(state: GroupState, now: number): GroupState {
  const { rests, ...left } = withoutResting(state, { existence: 'existence', now });
  const plannable = { ...state, ...left };
  return (state.mustLook && !rests ? toRemoval(plannable) : undefined) ?? plannable;
}

/** The state with those alone who are to leave, or the group that is, and for whom looks have failed too often to wait. */
function toRemoval(state: GroupState): GroupState | undefined {
  const { uid, scimId } = state.ids;
  if (state.deleted && state.created) {
    const isOverdue = (findFailed(state.cells.existence)?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK;
    return isOverdue && uid !== undefined ? { ...state, mustLook: false } : undefined;
  }
  const isOverdue = ({ wanted, attempts = 0 }: LinkChange) =>
    !wanted && attempts >= ATTEMPTS_WITH_LOOK;
  const [members, admins] = [state.members.filter(isOverdue), state.admins.filter(isOverdue)];
  const isKnown = uid !== undefined || (scimId !== undefined && admins.length === 0);
  if (!isKnown || members.length + admins.length === 0) return undefined;
  return { ...state, mustLook: false, cells: onlyWaiting(state.cells, []), members, admins };
}

/** Lists the waiting changes for one plan: as many as two calls can carry. */
export async function listGroupLinks(
  db: Db,
  id: GroupId,
  { policy, inactiveWait, now }: LinkQuery,
): Promise<WaitingLinks> {
  const limit = Math.max(policy.membersPerCall, 50) * 2;
  return listWaitingLinks(db, id, { limit, now, inactiveWait });
}
