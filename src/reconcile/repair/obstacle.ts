import { assertNever } from '../../domain/errors.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { findRow, getRow, type UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
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
  const row = await findRow(tx, { type: 'user', id: repair.resourceId });
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
      const user = await findRow(tx, { type: 'user', id: resourceId });
      if (user !== undefined) return protection.findReason(tx, user);
      const group = await findRow(tx, { type: 'group', id: resourceId });
      return group && protection.findGroupReason(tx, group);
    }
    case 'removeMember':
    case 'demoteAdmin': {
      const row = await findRow(tx, { type: 'user', id: memberId });
      const reason = row && (await protection.findPrivilege(tx, row));
      if (reason === undefined || harm === 'demoteAdmin') return reason;
      const group = await getRow(tx, { type: 'group', id: resourceId });
      return (await findGroupPrivilege(tx, group)) === undefined ? undefined : reason;
    }
    default:
      return assertNever(harm);
  }
}
