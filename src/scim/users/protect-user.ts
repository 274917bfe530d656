import { listFoldedEmails } from '../../domain/address.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Matcher } from '../../domain/matcher.ts';
import { isObservedActive, isWantedActive } from '../../domain/user.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import { lockOtherOwners, toUserState, type UserRow } from '../../store/users.ts';
import type { ScimDeps, ScimPolicy } from '../deps.ts';
import { ScimError } from '../errors.ts';

/** Whom the policy protects. */
export interface UserProtection {
  /** Why nobody may deactivate or delete this person, or undefined: they may. */
  findReason(tx: Db, row: UserRow): Promise<string | undefined>;
  /** Why the account is never taken over by itself, or undefined: it is ordinary. */
  findPrivilege(row: UserRow): string | undefined;
}

/** What the protection is made from. */
export interface ProtectionDeps extends Pick<ScimDeps, 'findOwnAccount'> {
  readonly policy: Pick<ScimPolicy, 'isProtectedUser'>;
}

/** The protection that the settings and what is observed give. */
export function createUserProtection({ policy, findOwnAccount }: ProtectionDeps): UserProtection {
  const isOwn = (row: UserRow) => row.upstream_id !== null && row.upstream_id === findOwnAccount();
  const isNamed = (row: UserRow) => matchesRow(policy.isProtectedUser, row);
  return {
    async findReason(tx, row) {
      if (isNamed(row)) return 'The person is protected by the settings of the bridge.';
      if (isOwn(row)) return 'The account is the one behind the bridge’s own token.';
      if (row.owner === 0 || (await lockOtherOwners(tx, row.id)).some(mayWork)) return undefined;
      return 'The person is the last owner of the company.';
    },
    findPrivilege(row) {
      if (row.owner === 1) return 'The account is an owner of the company.';
      if (isNamed(row)) return 'The person is protected by the settings of the bridge.';
      return isOwn(row) ? 'The account is the one behind the bridge’s own token.' : undefined;
    },
  };
}

/** @throws ScimError 403 with the reason. */
export async function assertMayLoseAccess(
  tx: Db,
  protection: UserProtection,
  row: UserRow,
): Promise<void> {
  const reason = await protection.findReason(tx, row);
  if (reason !== undefined) throw new ScimError(403, reason);
}

/** Whether the person can work now and is to go on with it, by either switch of the service. */
function mayWork(row: UserRow): boolean {
  const { desired, observed } = toUserState(row);
  if (observed === undefined || !isWantedActive(desired, 'temporarilyInactive')) return false;
  return isObservedActive(observed, 'temporarilyInactive');
}

function matchesRow(matcher: Matcher, row: UserRow): boolean {
  const attributes = parseStored<JsonObject>(row.attributes);
  return matcher([
    row.user_name,
    row.observed_user_name_folded,
    row.observed_email_folded,
    ...listFoldedEmails(attributes),
  ]);
}
