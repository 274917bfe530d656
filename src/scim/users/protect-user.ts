import { listFoldedEmails } from '../../domain/address.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Matcher } from '../../domain/matcher.ts';
import { isObservedActive, isWantedActive } from '../../domain/user.ts';
import type { Protection } from '../../reconcile/rules/rules.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import { listFormerNames } from '../../store/former-names.ts';
import { toObservedGroup } from '../../store/groups.ts';
import {
  listUsersOfAccount,
  lockOtherOwners,
  toUserState,
  type UserRow,
} from '../../store/users.ts';
import { ScimError } from '../errors.ts';

/** What the protection is made from. */
export interface ProtectionDeps {
  readonly isProtectedUser: Matcher;
  readonly isProtectedGroup: Matcher;
  /** The account behind our own token, when it is known. */
  readonly findOwnAccount: () => number | undefined;
}

const NAMED = 'The person is protected by the settings of the bridge.';
const OWN = 'The account is the one behind the bridge’s own token.';
const OWNER = 'The account is an owner of the company.';

/** The protection that the settings and what is observed give, under every name that somebody ever had. */
export function createProtection(deps: ProtectionDeps): Protection {
  const { isProtectedUser, isProtectedGroup, findOwnAccount } = deps;
  const isOwn = (id: number | null) => id !== null && id === findOwnAccount();

  async function listNamed(tx: Db, rows: readonly UserRow[]): Promise<Set<UserId>> {
    const former = await listFormerNames(
      tx,
      'user',
      rows.map(({ id }) => id),
    );
    const isNamed = (row: UserRow) =>
      isProtectedUser([...listNames(row), ...(former.get(row.id) ?? [])]);
    return new Set(rows.filter(isNamed).map(({ id }) => id));
  }
  async function listPrivileged(tx: Db, rows: readonly UserRow[]): Promise<Map<UserId, string>> {
    const named = await listNamed(tx, rows);
    const reasons = rows.map(({ id, owner, upstream_id }): [UserId, string | undefined] => {
      if (owner === 1) return [id, OWNER];
      return [id, named.has(id) ? NAMED : isOwn(upstream_id) ? OWN : undefined];
    });
    return new Map(reasons.flatMap(([id, reason]) => (reason === undefined ? [] : [[id, reason]])));
  }

  return {
    listPrivileged,
    async findReason(tx, row) {
      if ((await listNamed(tx, [row])).size > 0) return NAMED;
      if (isOwn(row.upstream_id)) return OWN;
      if (row.owner === 0 || (await lockOtherOwners(tx, row.id)).some(mayWork)) return undefined;
      return 'The person is the last owner of the company.';
    },
    async findPrivilege(tx, row) {
      return (await listPrivileged(tx, [row])).get(row.id);
    },
    async findAccountPrivilege(tx, { upstreamId, names }) {
      if (isProtectedUser(names)) return NAMED;
      if (isOwn(upstreamId)) return OWN;
      const known = await listPrivileged(tx, await listUsersOfAccount(tx, upstreamId));
      return known.values().next().value;
    },
    async findGroupReason(tx, row) {
      const former = await listFormerNames(tx, 'group', [row.id]);
      const names = [row.display_name, toObservedGroup(row)?.displayName];
      return isProtectedGroup([...names, ...(former.get(row.id) ?? [])])
        ? 'The group is protected by the settings of the bridge.'
        : undefined;
    },
    protectsName: (type, name) => (type === 'user' ? isProtectedUser : isProtectedGroup)([name]),
  };
}

/** @throws ScimError 403 with the reason. */
export async function assertMayLose(tx: Db, protection: Protection, row: UserRow): Promise<void> {
  const reason = await protection.findReason(tx, row);
  if (reason !== undefined) throw new ScimError(403, reason);
}

/** Whether the person can work now and is to go on with it, by either switch of the service. */
function mayWork(row: UserRow): boolean {
  const { desired, observed } = toUserState(row);
  if (observed === undefined || !isWantedActive(desired, 'temporarilyInactive')) return false;
  return isObservedActive(observed, 'temporarilyInactive');
}

function listNames(row: UserRow): (string | null)[] {
  const attributes = parseStored<JsonObject>(row.attributes);
  const { user_name, observed_user_name_folded, observed_email_folded } = row;
  return [
    user_name,
    observed_user_name_folded,
    observed_email_folded,
    ...listFoldedEmails(attributes),
  ];
}
