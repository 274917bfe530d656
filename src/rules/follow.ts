import type { GroupId, UserId } from '../domain/ids.ts';
import type { Rulings } from '../domain/rule-book.ts';
import type { UserField } from '../domain/user.ts';
import { toChangedColumns } from '../store/engine/columns.ts';
import { chunks, lockUntilCommit } from '../store/engine/dialect.ts';
import { type GroupRow, LIVE_MANAGED, listRows, updateRow } from '../store/resources/rows.ts';
import {
  listGroupNamesOf,
  listManagedGroups,
  listNested,
  listWantedMembers,
} from '../store/resources/rule-inputs.ts';
import type { Db } from '../store/store.ts';
import { toRuled, userFields } from './fields.ts';
import { type ListNews, ruleAdmins, ruleLinks } from './rule-links.ts';
import type { Rules } from './rules.ts';

/** Change of a group in a transaction, as far as rules need it. */
export interface GroupNews {
  readonly id: GroupId;
  /** Name of the group before and after; undefined when it was not live and managed. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly users: readonly UserId[];
  /** The provider has returned the admin list to the rules. */
  readonly admins?: 'released';
  /** Which of its own members inner groups may have brought or taken: all, or these users; absent: none. */
  readonly nested?: 'all' | 'users' | undefined;
  /** Version of the write of this transaction that its own members belong to; absent: they make a new one. */
  readonly version?: number;
}

/**
 * Begins a transaction that changes what rules read: `users` before a user joins or leaves a group, `names` before a
 * group comes, goes or is renamed. Does nothing without rules.
 */
export async function enterRules(tx: Db, rules: Rules, of: 'users' | 'names'): Promise<void> {
  // Taken before the rows, so that two transactions cannot block each other.
  if (!rules.book.isEmpty) await lockUntilCommit(tx, 'rules', of === 'users' ? 'shared' : 'alone');
}

/** Result of following the rules. */
export interface Followed {
  /** True when other users or groups may be due. */
  readonly notifies: boolean;
  /** True when the group itself was changed. */
  readonly changedItself: boolean;
  /** True if a user left a group because of it. */
  readonly removes: boolean;
}

/** Finds the name by which rules know a group; undefined for a group that is not managed or not there. */
export function toRuledName(
  row: Pick<GroupRow, 'origin' | 'deleted_at' | 'name'> | undefined,
): string | undefined {
  return row && row.origin !== null && row.deleted_at === null ? row.name : undefined;
}

/**
 * Updates everything that is derived from a group, in the transaction that changed it: the members of groups that it is
 * a member of, the fields of users who joined or left, admin lists that draw on it, its own lists. Where only members
 * changed, only those users are looked at. `now` is epoch milliseconds.
 */
export async function followGroup(
  tx: Db,
  rules: Rules,
  news: GroupNews,
  now: number,
): Promise<Followed> {
  const { id, nested, version } = news;
  const some = nested === 'all' ? undefined : news.users;
  const own = { groupId: id, users: some, now, version };
  const { writes } = nested ? await ruleLinks(tx, rules, 'member', own) : { writes: [] };
  const users = [...new Set([...news.users, ...writes.map(({ userId }) => userId)])];
  const all = [...writes];
  const { notifies, changedItself } = await followRules(tx, rules, { ...news, users }, now);
  const around = users.length === 0 ? [] : await listNested(tx, id, 'around');
  for (const groupId of around) {
    const outer = await ruleLinks(tx, rules, 'member', { groupId, users, now });
    const moved = outer.writes.map(({ userId }) => userId);
    const name = toRuledName(outer.row);
    await followRules(tx, rules, { id: groupId, before: name, after: name, users: moved }, now);
    all.push(...outer.writes);
  }
  return {
    notifies: notifies || all.length > 0,
    changedItself: changedItself || writes.length > 0 || around.includes(id),
    removes: all.some(({ desired }) => desired === 0),
  };
}

/** Updates what rules derive from a group alone: the fields of its users, and admin lists. */
async function followRules(
  tx: Db,
  rules: Rules,
  { id, before, after, users, admins }: GroupNews,
  now: number,
): Promise<Omit<Followed, 'removes'>> {
  const { book } = rules;
  const isRenamed = before !== after;
  const isNews = isRenamed || users.length > 0 || admins !== undefined;
  if (book.isEmpty || !isNews) return { notifies: false, changedItself: false };
  const names = [...new Set([before, after])].filter((name) => name !== undefined);
  let notifies = false;
  if (names.some(book.drivesMembers)) {
    const all = isRenamed ? await listWantedMembers(tx, [id]) : [];
    notifies = await followUsers(tx, rules, [...new Set([...users, ...all])], now);
  }
  const some = isRenamed ? undefined : users;
  const changed = await followAdministered(tx, rules, { names, users: some, now });
  const isOwnDue = isRenamed || admins !== undefined;
  if (isOwnDue && after !== undefined) {
    if (await ruleAdmins(tx, rules, { groupId: id, users: undefined, now })) changed.add(id);
  }
  return { notifies: notifies || changed.size > 0, changedItself: changed.has(id) };
}

/** Updates the admin lists that draw on groups of these names, for these users or for all, and returns the changed groups. */
async function followAdministered(
  tx: Db,
  rules: Rules,
  { names, ...news }: Omit<ListNews, 'groupId'> & { readonly names: readonly string[] },
): Promise<Set<GroupId>> {
  const changed = new Set<GroupId>();
  if (news.users?.length === 0) return changed;
  for (const { id } of await listManagedGroups(tx, names.flatMap(rules.book.listAdministered))) {
    if (await ruleAdmins(tx, rules, { ...news, groupId: id })) changed.add(id);
  }
  return changed;
}

/** Updates the ruled fields of managed users. True when a user changed. */
export async function followUsers(
  tx: Db,
  rules: Rules,
  userIds: readonly UserId[],
  now: number,
): Promise<boolean> {
  let changed = false;
  for (const chunk of chunks([...userIds].sort())) {
    // In one order everywhere.
    const which = { id: chunk, ...LIVE_MANAGED };
    const rows = await listRows(tx, 'user', which, { order: 'id', lock: true });
    // Read after the lock: a transaction that adds one of them to another group waits for the row.
    const names = await listGroupNamesOf(tx, chunk);
    for (const row of rows) {
      const rulings: Rulings<UserField> = rules.book.ruleUser(names.get(row.id) ?? []);
      const next = await toRuled(tx, rules, userFields, { row, rulings, now });
      if (next === undefined) continue;
      await updateRow(tx, row, toChangedColumns(row, next));
      changed = true;
    }
  }
  return changed;
}

/** Updates everything that rules derive from one user's groups. True when something changed. */
export async function followUser(
  tx: Db,
  rules: Rules,
  userId: UserId,
  now: number,
): Promise<boolean> {
  if (rules.book.isEmpty) return false;
  const changed = await followUsers(tx, rules, [userId], now);
  const names = (await listGroupNamesOf(tx, [userId])).get(userId) ?? [];
  const groups = await followAdministered(tx, rules, { names, users: [userId], now });
  return changed || groups.size > 0;
}
