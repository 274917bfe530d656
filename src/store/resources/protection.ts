import { sql } from 'kysely';
import { listFoldedEmails } from '../../domain/address.ts';
import { isGone, isWorking } from '../../domain/kinds.ts';
import type { Matcher } from '../../domain/name.ts';
import { MATCHES_NOTHING } from '../../domain/name.ts';
import type { UserId } from '../../domain/values.ts';
import { lockUntilCommit } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { listWhere } from '../tables.ts';
import type { ResourceRow, UserRow } from './rows.ts';
import { listRows, selectRows } from './rows.ts';
import { toUserState } from './state.ts';

/** Guard of users and groups that no request, rule or repair may harm, under every name that was ever protected. */
export type Protection = ReturnType<typeof createProtection>;

const NAMED = 'The person is protected by the settings of the bridge.';
const NAMED_GROUP = 'The group is protected by the settings of the bridge.';
const OWN = 'The account is the one behind the bridge’s own token.';
const OWNER = 'The account is an owner of the company.';

/** Protection by the settings and by observed roles, under every name that a user or group ever had. */
export function createProtection({
  isProtectedUser,
  isProtectedGroup,
  findOwnAccount,
}: Readonly<Record<'isProtectedUser' | 'isProtectedGroup', Matcher>> & {
  readonly findOwnAccount: () => number | undefined;
}) {
  const isOwn = (id: number | null) => id !== null && id === findOwnAccount();

  /** Those of these users or groups that the settings protect, by id. */
  async function listNamed(tx: Db, type: ResourceRow['type'], rows: readonly ResourceRow[]) {
    const isProtected = type === 'user' ? isProtectedUser : isProtectedGroup;
    if (isProtected === MATCHES_NOTHING) return new Set<string>();
    const resource = rows.map(({ id }) => id);
    const former = await listWhere(tx, 'names', { former: 1, resource });
    const byId = Map.groupBy(former, (known) => known.resource);
    const isNamed = (row: ResourceRow) =>
      isProtected([...listNames(row), ...(byId.get(row.id) ?? []).map(({ name }) => name)]);
    return new Set<string>(rows.filter(isNamed).map(({ id }) => id));
  }

  /** `findPrivilege` of many users, by id; ordinary ones are left out. */
  async function listPrivileged(tx: Db, rows: readonly UserRow[]) {
    const named = await listNamed(tx, 'user', rows);
    const reasons = new Map<UserId, string>();
    for (const { id, owner, upstream_id } of rows) {
      if (owner === 1) reasons.set(id, OWNER);
      else if (named.has(id)) reasons.set(id, NAMED);
      else if (isOwn(upstream_id)) reasons.set(id, OWN);
    }
    return reasons;
  }

  return {
    listPrivileged,
    /** True for the account behind our own token. */
    isOwn: ({ upstream_id }: UserRow) => isOwn(upstream_id),
    /** Reason why nothing may be taken from this user or group; undefined: it may. The last owner is protected too. */
    async findReason(tx: Db, row: ResourceRow): Promise<string | undefined> {
      const isNamed = (await listNamed(tx, row.type, [row])).size > 0;
      if (row.type === 'group') return isNamed ? NAMED_GROUP : undefined;
      if (isNamed) return NAMED;
      if (isOwn(row.upstream_id)) return OWN;
      const others = row.owner === 0 ? [] : await lockOwners(tx);
      const isLast = !others.some((one) => one.id !== row.id && mayWork(one));
      return row.owner === 1 && isLast ? 'The person is the last owner of the company.' : undefined;
    },
    /** Reason why the account is never taken over by itself and its user stays an admin; undefined: it is ordinary. */
    findPrivilege: async (tx: Db, row: UserRow) => (await listPrivileged(tx, [row])).get(row.id),
    /** `findPrivilege` of an account of the service, by the service's names for it and by the store's. */
    async findAccountPrivilege(
      tx: Db,
      account: { readonly upstreamId: number; readonly names: readonly (string | undefined)[] },
    ): Promise<string | undefined> {
      if (isProtectedUser(account.names)) return NAMED;
      if (isOwn(account.upstreamId)) return OWN;
      const users = await listRows(tx, 'user', { upstream_id: account.upstreamId });
      return (await listPrivileged(tx, users)).values().next().value;
    },
  };
}

/** Locks and lists the live owners, so that two writes do not each count on the owner whom the other removes. */
async function lockOwners(tx: Db): Promise<UserRow[]> {
  await lockUntilCommit(tx, 'owners');
  const owners = await selectRows(tx, 'user', sql`deleted_at is null and owner = 1`);
  return owners.filter((row) => !isGone(row.observed));
}

function mayWork(row: UserRow): boolean {
  const { desired, observed } = toUserState(row);
  if (observed === undefined || !isWorking(desired, 'temporarilyInactive')) return false;
  return isWorking(observed, 'temporarilyInactive');
}

function listNames(row: ResourceRow): (string | null | undefined)[] {
  if (row.type === 'group') return [row.name, row.observed?.displayName];
  const { name, observed_user_name_folded, observed_email_folded } = row;
  const emails = listFoldedEmails(row.attributes);
  return [name, observed_user_name_folded, observed_email_folded, ...emails];
}
