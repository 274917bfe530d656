import { isWaiting } from '../../domain/cell.ts';
import { findHarm, findRepair } from '../../domain/change.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { type GroupRow, hasUpstreamIds, toGroupState } from '../../store/groups/groups.ts';
import { isUserRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isSeen, type Seen } from '../read/reading.ts';
import { type Current, compareKnownGroup, compareKnownUser } from './current.ts';

/**
 * Lists the changes that bring a managed user or group to the desired state; `seen` is what a complete
 * read showed.
 */
export async function listChanges(
  tx: Db,
  deps: Pick<ReconcileDeps, 'policy'>,
  { row, seen }: { readonly row: ResourceRow; readonly seen: Seen },
): Promise<PlanAction[]> {
  return isUserRow(row)
    ? listUserChanges(tx, deps, { row, seen })
    : listGroupChanges(tx, deps, { row, seen });
}

/** A user that the complete read did not show is only suspected to be gone. */
async function listUserChanges(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { row, seen }: { readonly row: UserRow; readonly seen: Seen },
): Promise<PlanAction[]> {
  const { desired, deleted, upstreamId, cells } = toUserState(row);
  const isWanted = !deleted && desired.active && !isWaiting(cells.account);
  const creation = toCreation(row.id, 'user.create');
  if (upstreamId === undefined) {
    return isWanted && desired.address !== undefined ? [creation] : [];
  }
  // Lists say nothing of a deleted user, so the last observation counts.
  if (!deleted && !isSeen(seen, row)) return isWanted ? [creation] : [];
  return toActions(await compareKnownUser(tx, row, policy.deactivation));
}

/** Members, admins and entities are changes of their own. */
async function listGroupChanges(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { row, seen }: { readonly row: GroupRow; readonly seen: Seen },
): Promise<PlanAction[]> {
  const { observed, deleted, cells, entities } = toGroupState(row);
  const actions = toActions(await compareKnownGroup(tx, row));
  const creation = toCreation(row.id, 'group.create');
  if (deleted) {
    return actions.filter(
      ({ kind }) => kind !== 'group.delete' || policy.groupDeletion === 'created',
    );
  }
  if (!hasUpstreamIds(row)) return !isWaiting(cells.existence) ? [creation, ...actions] : [];
  if (observed === undefined || !isSeen(seen, row)) return [creation];
  const areAdminsKnown = (row.admins_read_at ?? 0) >= seen.since;
  const areEntitiesKnown = (entities?.at ?? 0) >= seen.since;
  // What is not known of entities only adds to the plan: the next step lists them before it gives roles.
  return actions.filter(({ kind, harm }) => {
    if (kind.startsWith('admin.')) return areAdminsKnown;
    return areEntitiesKnown || !kind.startsWith('entity.') || harm === undefined;
  });
}

function toCreation(resourceId: string, kind: 'user.create' | 'group.create'): PlanAction {
  const type = kind === 'user.create' ? 'user' : 'group';
  const values = { desired: { active: true }, observed: null, harm: undefined };
  return { kind, type, resourceId, memberId: '', ...values };
}

function toActions({ differences }: Pick<Current, 'differences'>): PlanAction[] {
  return differences
    .values()
    .flatMap((difference): PlanAction[] => {
      const kind = difference.desired === null ? 'group.delete' : findRepair(difference.kind);
      if (kind === undefined) return [];
      const action = { ...difference, kind };
      return [{ ...action, harm: findHarm(action) }];
    })
    .toArray();
}
