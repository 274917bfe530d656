import { assertNever } from '../../domain/errors.ts';
import { groupId } from '../../domain/ids.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { findGroupRow, getGroupRow } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow, toUserState, type UserRow } from '../../store/users/users.ts';
import type { DriftDeps } from './deps.ts';

type ObstacleDeps = Pick<DriftDeps, 'rules' | 'findGroupPrivilege'>;

/** Obstacle to a new account, with what removes it. */
const NO_ADDRESS =
  'The provider gives no e-mail address, which a new account needs: have it send one, or accept that the person is inactive.';

/** Finds the reason why a repair may or can not be made; undefined when it can. */
export async function findObstacle(
  tx: Db,
  deps: ObstacleDeps,
  repair: PlanAction,
): Promise<string | undefined> {
  if (repair.kind !== 'user.create') return findProtection(tx, deps, repair);
  const row = await findUserRow(tx, repair.resourceId);
  return row && findAccountObstacle(row);
}

/** Finds the reason why no account can be made for a user; undefined when one can. */
export function findAccountObstacle(row: UserRow): string | undefined {
  return toUserState(row).desired.address === undefined ? NO_ADDRESS : undefined;
}

/**
 * Finds the reason why no repair may take this away; undefined when it may. Users that no provider may deactivate or
 * demote are safe from repairs too. Leaving a group is a demotion only where the group is privileged.
 */
async function findProtection(
  tx: Db,
  { rules: { protection }, findGroupPrivilege }: ObstacleDeps,
  { harm, resourceId, memberId }: PlanAction,
): Promise<string | undefined> {
  switch (harm) {
    case undefined:
      return undefined;
    case 'deactivate':
    case 'deleteGroup':
    case 'cutAccess': {
      const user = await findUserRow(tx, resourceId);
      if (user !== undefined) return protection.findReason(tx, user);
      const group = await findGroupRow(tx, resourceId);
      return group && protection.findGroupReason(tx, group);
    }
    case 'removeMember':
    case 'demoteAdmin': {
      const row = await findUserRow(tx, memberId);
      const reason = row && (await protection.findPrivilege(tx, row));
      if (reason === undefined || harm === 'demoteAdmin') return reason;
      const group = await getGroupRow(tx, groupId(resourceId));
      return (await findGroupPrivilege(tx, group)) === undefined ? undefined : reason;
    }
    default:
      return assertNever(harm);
  }
}
