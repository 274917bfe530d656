import { listFoldedEmails } from '../domain/address.ts';
import { isWaiting } from '../domain/cell.ts';
import { isEntityField } from '../domain/entity.ts';
import type { Deactivation } from '../domain/kinds.ts';
import { isGone, isWorking } from '../domain/kinds.ts';
import type { Link, LinkKey, LinkList } from '../domain/link.ts';
import { ruleLink } from '../domain/link.ts';
import type { Matcher } from '../domain/name.ts';
import { MATCHES_NOTHING } from '../domain/name.ts';
import type { RuleBook } from '../domain/rule-book.ts';
import type { GroupId, UserId } from '../domain/values.ts';
import { lockUntilCommit } from '../store/engine/dialect.ts';
import { listLinks, saveLinks } from '../store/links/links.ts';
import {
  listManagedGroups,
  listNested,
  listWantedMembers,
  lockGroups,
} from '../store/links/of-users.ts';
import type { GroupRow, ResourceRow, UserRow } from '../store/resources/rows.ts';
import { LIVE, listRows, lockRow, updateRow } from '../store/resources/rows.ts';
import { toGroupState, toUserState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import { listWhere } from '../store/tables.ts';

/** Rules of the configuration with what following them needs. */
export interface Rules {
  readonly book: RuleBook;
  readonly deactivation: Deactivation;
  readonly protection: Protection;
}

/** Reason why a group is never taken over by itself; undefined: it is ordinary. Its admin list has to be read before. */
export async function findGroupPrivilege(
  tx: Db,
  { rules }: { readonly rules: Rules },
  row: GroupRow,
): Promise<string | undefined> {
  const reason =
    (await rules.protection.findReason(tx, row)) ?? findRuledPrivilege(rules.book, row.name);
  if (reason !== undefined) return reason;
  const { observed, desired } = toGroupState(row);
  if ((observed?.permissions ?? desired.permissions ?? 0) > 0) {
    return 'The group holds permissions.';
  }
  const admins = await listLinks(tx, row, { list: 'admin' });
  const hasAdmins = admins.some((link) => (link.desired ?? link.observed) === 1);
  return hasAdmins ? 'The group has admins.' : undefined;
}

/** A takeover would give the members the rights of the rules. */
function findRuledPrivilege(book: RuleBook, name: string): string | undefined {
  if (book.isSource(name)) return 'By the rules of the bridge the members administer a group.';
  const rulings = book.ruleGroup(name);
  if (Object.keys(rulings).some(isEntityField)) {
    return 'The rules of the bridge give the group roles in spaces or documents.';
  }
  const gives = rulings.permissions?.value;
  return gives ? 'The rules of the bridge give the group permissions.' : undefined;
}

/** True for a group whose members rules or outer groups read. */
export const isSource = async (db: Db, { book }: Rules, { id, name }: GroupRow) =>
  book.drivesMembers(name) ||
  book.isSource(name) ||
  (await listNested(db, id, 'around')).length > 0;

/** List of a group to be updated: all of it, or these users alone. */
export interface ListNews {
  readonly groupId: GroupId;
  readonly users: readonly UserId[] | undefined;
  readonly now: number;
  /** Version of a write of this transaction that the changes belong to; absent: they make a new one. */
  readonly version?: number | undefined;
}

type RuledLink = Link & LinkKey;

/** Updates a list of a managed group to those whom rules want, or inner groups have. Returns the group, and what changed. */
export async function ruleLinks(
  tx: Db,
  rules: Rules,
  list: LinkList,
  { groupId, users, now, ...of }: ListNews,
): Promise<{ readonly row: GroupRow | undefined; readonly writes: readonly RuledLink[] }> {
  const row = await lockRow(tx, { type: 'group', id: groupId });
  const isOurs = row?.origin != null && row.deleted_at === null;
  if (!isOurs || (list === 'admin' && row.admins_asked === 1)) return { row, writes: [] };
  const listWanted = list === 'admin' ? listWantedAdmins : listInnerMembers;
  const wanted = await listWanted(tx, row, users, rules);
  const version = of.version ?? row.version + 1;
  const writes = await listRuled(tx, rules, { ...row, version }, { list, users, wanted });
  if (writes.length === 0) return { row, writes };
  const saved = writes.map(({ userId, ...link }) => ({ ...link, target: userId }));
  await saveLinks(tx, row, saved);
  const waiting = writes.filter(isWaiting);
  const removes = row.due_class === 0 || waiting.some(({ desired }) => desired === 0);
  const due = waiting.length > 0 && ({ due_at: now, due_class: removes ? 0 : 1 } as const);
  await updateRow(tx, row, { version, modified_at: now, ...due });
  return { row, writes };
}

async function listInnerMembers(tx: Db, { id }: GroupRow, users: readonly UserId[] | undefined) {
  const inside = await listNested(tx, id, 'inside');
  // Whoever writes one of them now is waited for, and seen.
  if (users === undefined) await lockGroups(tx, inside);
  return listWantedMembers(tx, inside, { among: users, by: 'provider' });
}

async function listWantedAdmins(
  tx: Db,
  { name }: GroupRow,
  users: readonly UserId[] | undefined,
  { book }: Rules,
): Promise<Set<UserId>> {
  const ruling = book.ruleAdmins(name);
  if (ruling === undefined) return new Set();
  const sources = await listManagedGroups(tx, [ruling.sources]);
  return listWantedMembers(tx, sources, { among: users });
}

/** The links that change. Nothing derived may demote the protected as little as a request: out of an ordinary group they may go. */
async function listRuled(
  tx: Db,
  rules: Rules,
  row: GroupRow,
  { list, users, wanted }: Pick<ListNews, 'users'> & { list: LinkList; wanted: Set<UserId> },
): Promise<readonly RuledLink[]> {
  const links = await listLinks(tx, row, { list, userIds: users });
  // Deleted users leave by themselves.
  const present = links.filter(({ userDeletedAt }) => userDeletedAt === null);
  const byId = new Map(present.map((link) => [link.userId, link]));
  const { version, must_look } = row;
  const changes = [...new Set([...byId.keys(), ...wanted])].flatMap((userId): RuledLink[] => {
    const rule = { wanted: wanted.has(userId), version, isUnsure: must_look !== 0 };
    const after = ruleLink(byId.get(userId), rule);
    return after === undefined ? [] : [{ ...after, list, userId }];
  });
  const id = changes.filter(({ desired }) => desired !== 1).map(({ userId }) => userId);
  if (id.length === 0) return changes;
  if (list === 'member' && !(await findGroupPrivilege(tx, { rules }, row))) return changes;
  const stay = await rules.protection.listPrivileged(tx, await listRows(tx, 'user', { id }));
  return changes.filter(({ userId, desired }) => desired === 1 || !stay.has(userId));
}

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
  const owners = await listRows(tx, 'user', { owner: 1, ...LIVE });
  return owners.filter((row) => !isGone(row.observed));
}

function mayWork(row: UserRow): boolean {
  const { desired, observed } = toUserState(row);
  return [desired, observed].every((one) => one && isWorking(one, 'temporarilyInactive'));
}

function listNames(row: ResourceRow): (string | null | undefined)[] {
  if (row.type === 'group') return [row.name, row.observed?.displayName];
  const { name, observed_user_name_folded, observed_email_folded } = row;
  const emails = listFoldedEmails(row.attributes);
  return [name, observed_user_name_folded, observed_email_folded, ...emails];
}
