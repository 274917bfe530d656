import type { GroupField, GroupState, LinkChange } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import { ATTEMPTS_WITH_LOOK, isStuck, listFailed, withoutDeferred } from '../../domain/stuck.ts';
import type { GroupPolicy } from '../../plan/plan-group.ts';
import { parseStuck } from '../../store/engine/columns.ts';
import { type GroupRow, toGroupState } from '../../store/groups/groups.ts';
import { listWaitingLinks, type WaitingLinks } from '../../store/links/waiting.ts';
import type { Db } from '../../store/store.ts';

/** Query of the waiting members and admins of a group. */
export interface LinkQuery {
  readonly policy: GroupPolicy;
  readonly inactiveWait: boolean;
  readonly now: number;
}

/** State from which the next step is planned: a stuck change rests until its time, as if it did not wait. */
export function toPlannable(row: GroupRow, links: WaitingLinks, now: number): GroupState {
  const state = toGroupState(row, links);
  const stuck = parseStuck<GroupField>(row);
  const pending = withoutDeferred(state.pending, stuck, now);
  const failed = listFailed(stuck, pending);
  const rests = state.pending.existence !== undefined && pending.existence === undefined;
  // While the group itself rests, it is neither created nor removed, and a stuck group is not looked for either.
  if (rests) {
    return { ...state, pending: {}, mustLook: state.mustLook && !isStuck(stuck.existence) };
  }
  const removal = state.mustLook ? toRemoval(state) : undefined;
  return removal ?? { ...state, pending, ...(Object.keys(failed).length > 0 && { failed }) };
}

/** The state with those alone who are to leave and for whom a look has failed too often to wait for it. */
function toRemoval(state: GroupState): GroupState | undefined {
  if (state.deleted && state.created) return undefined;
  const { uid, scimId } = state.ids;
  const isOverdue = ({ wanted, attempts = 0 }: LinkChange) =>
    !wanted && attempts >= ATTEMPTS_WITH_LOOK;
  const [members, admins] = [state.members.filter(isOverdue), state.admins.filter(isOverdue)];
  const isKnown = uid !== undefined || (scimId !== undefined && admins.length === 0);
  if (!isKnown || members.length + admins.length === 0) return undefined;
  return { ...state, mustLook: false, pending: {}, members, admins };
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
