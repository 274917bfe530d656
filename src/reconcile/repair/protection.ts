import { assertNever } from '../../domain/errors.ts';
import type { HarmKind } from '../../domain/harm.ts';
import { groupId } from '../../domain/ids.ts';
import { findGroupRow, getGroupRow } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow } from '../../store/users/users.ts';
import type { DriftDeps } from './deps.ts';

/** Loss that an action would cause to a user or group, by SCIM ids. */
interface Taking {
  readonly harm: HarmKind | null | undefined;
  readonly resourceId: string;
  /** User in a list of the group; empty elsewhere. */
  readonly memberId: string;
}

/**
 * Finds the reason why no repair may take this away; undefined when it may. Users that no provider may deactivate or
 * demote are safe from repairs too. Leaving a group is a demotion only where the group is privileged.
 */
export async function findProtection(
  tx: Db,
  { rules: { protection }, findGroupPrivilege }: Pick<DriftDeps, 'rules' | 'findGroupPrivilege'>,
  { harm, resourceId, memberId }: Taking,
): Promise<string | undefined> {
  switch (harm) {
    case null:
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
