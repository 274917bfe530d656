import type { Clock } from '../domain/clock.ts';
import type { GroupId, UserId } from '../domain/values.ts';
import { chunks, lockUntilCommit } from '../store/engine/dialect.ts';
import {
  listGroupNamesOf,
  listManagedGroups,
  listNested,
  listWantedMembers,
} from '../store/links/of-users.ts';
import type { GroupRow } from '../store/resources/rows.ts';
import { LIVE_MANAGED, listRows, lockRow, readRows, saveRow } from '../store/resources/rows.ts';
import type { Db, Store } from '../store/store.ts';
import { toRuled } from './fields.ts';
import type { ListNews, Rules } from './rules.ts';
import { ruleLinks } from './rules.ts';

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

/** Begins a transaction in which a user joins or leaves a group (`users`), or a group comes, goes or is renamed (`names`). */
export async function enterRules(tx: Db, rules: Rules, of: 'users' | 'names'): Promise<void> {
  // Taken before the rows, so that two transactions cannot block each other.
  if (!rules.book.isEmpty) await lockUntilCommit(tx, 'rules', of === 'users' ? 'shared' : 'alone');
}

/** Finds the name by which rules know a group; undefined for a group that is not managed or not there. */
export const toRuledName = (row: Pick<GroupRow, 'origin' | 'deleted_at' | 'name'> | undefined) =>
  row && row.origin !== null && row.deleted_at === null ? row.name : undefined;

/** Updates everything that is derived from a group, in the transaction that changed it. `now` is epoch milliseconds. */
export async function followGroup(tx: Db, rules: Rules, news: GroupNews, now: number) {
  const { id, nested, version } = news;
  const some = nested === 'all' ? undefined : news.users;
  const own = { groupId: id, users: some, now, version };
  const { writes } = nested ? await ruleLinks(tx, rules, 'member', own) : { writes: [] };
  const users = [...new Set([...news.users, ...writes.map(({ userId }) => userId)])];
  const all = [...writes];
  const changed = await followRules(tx, rules, { ...news, users }, now);
  const around = users.length === 0 ? [] : await listNested(tx, id, 'around');
  for (const groupId of around) {
    const outer = await ruleLinks(tx, rules, 'member', { groupId, users, now });
    const moved = outer.writes.map(({ userId }) => userId);
    const name = toRuledName(outer.row);
    await followRules(tx, rules, { id: groupId, before: name, after: name, users: moved }, now);
    all.push(...outer.writes);
  }
  return {
    /** True when other users or groups may be due. */
    notifies: changed.size > 0 || all.length > 0,
    /** True when the group itself was changed. */
    changedItself: changed.has(id) || writes.length > 0 || around.includes(id),
    /** True if a user left a group because of it. */
    removes: all.some(({ desired }) => desired === 0),
  };
}

/** Updates what rules derive from a group alone. Returns what changed. */
async function followRules(
  tx: Db,
  rules: Rules,
  { id, before, after, users, admins }: GroupNews,
  now: number,
): Promise<ReadonlySet<UserId | GroupId>> {
  const { book } = rules;
  const isRenamed = before !== after;
  const isNews = isRenamed || users.length > 0 || admins !== undefined;
  if (book.isEmpty || !isNews) return new Set();
  const changed = new Set<UserId | GroupId>();
  const names = [...new Set([before, after])].filter((name) => name !== undefined);
  if (names.some(book.drivesMembers)) {
    const all = isRenamed ? await listWantedMembers(tx, [id]) : [];
    const moved = await followUsers(tx, rules, [...new Set([...users, ...all])], now);
    for (const userId of moved) changed.add(userId);
  }
  const some = isRenamed ? undefined : users;
  const administered = await followAdministered(tx, rules, { names, users: some, now });
  for (const groupId of administered) changed.add(groupId);
  const isOwnDue = (isRenamed || admins !== undefined) && after !== undefined;
  const own = { groupId: id, users: undefined, now };
  if (isOwnDue && (await ruleAdmins(tx, rules, own))) changed.add(id);
  return changed;
}

/** True when the list changed. */
const ruleAdmins = async (tx: Db, rules: Rules, news: ListNews) =>
  (await ruleLinks(tx, rules, 'admin', news)).writes.length > 0;

/** Updates the admin lists that draw on groups of these names. Returns the changed groups. */
async function followAdministered(
  tx: Db,
  rules: Rules,
  { names, ...news }: Omit<ListNews, 'groupId'> & { readonly names: readonly string[] },
): Promise<GroupId[]> {
  if (news.users?.length === 0) return [];
  const changed: GroupId[] = [];
  for (const id of await listManagedGroups(tx, names.flatMap(rules.book.listAdministered))) {
    if (await ruleAdmins(tx, rules, { ...news, groupId: id })) changed.push(id);
  }
  return changed;
}

/** Updates the ruled fields of managed users, and returns those that changed. */
export async function followUsers(tx: Db, rules: Rules, userIds: readonly UserId[], now: number) {
  const changed: UserId[] = [];
  for (const chunk of chunks([...userIds].sort())) {
    // In one order everywhere.
    const which = { id: chunk, ...LIVE_MANAGED };
    const rows = await listRows(tx, 'user', which, { order: 'id', lock: true });
    // Read after the lock: a transaction that adds one of them to another group waits for the row.
    const names = await listGroupNamesOf(tx, chunk);
    for (const row of rows) {
      const rulings = rules.book.ruleUser(names.get(row.id) ?? []);
      const next = await toRuled(tx, rules, { row, rulings, now });
      if (next === undefined) continue;
      await saveRow(tx, row, next);
      changed.push(row.id);
    }
  }
  return changed;
}

/** Updates everything that rules derive from one user's groups. True when something changed. */
export async function followUser(tx: Db, rules: Rules, userId: UserId, now: number) {
  if (rules.book.isEmpty) return false;
  const changed = await followUsers(tx, rules, [userId], now);
  const names = (await listGroupNamesOf(tx, [userId])).get(userId) ?? [];
  const groups = await followAdministered(tx, rules, { names, users: [userId], now });
  return changed.length + groups.length > 0;
}

/** Applies the rules to everything, page by page: to so many in one transaction that requests do not notice. */
export async function applyRules(
  { store, rules, clock }: { readonly store: Store; readonly rules: Rules; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  /** `apply` returns those that changed. */
  async function save(apply: (tx: Db) => Promise<readonly unknown[]>): Promise<void> {
    signal.throwIfAborted();
    if ((await store.write(apply)).length > 0) store.bell.ring('due');
  }
  for await (const rows of readRows(store.read, 'user', { limit: 200, where: LIVE_MANAGED })) {
    await save((tx) => followUsers(tx, rules, rows.map(toId), clock.now()));
  }
  for await (const rows of readRows(store.read, 'group', { limit: 20, where: LIVE_MANAGED })) {
    await save((tx) => ruleGroups(tx, rules, rows.map(toId), clock.now()));
  }
}

const toId = <Id>({ id }: { readonly id: Id }) => id;

/** Updates the fields and admins of groups. Returns those that changed. */
export async function ruleGroups(tx: Db, rules: Rules, ids: readonly GroupId[], now: number) {
  const changed: GroupId[] = [];
  for (const id of ids) {
    const row = await lockRow(tx, { type: 'group', id });
    if (row === undefined) continue;
    const rulings = rules.book.ruleGroup(row.name);
    const next = await toRuled(tx, rules, { row, rulings, now });
    if (next) await saveRow(tx, row, next);
    const hasOtherAdmins = await ruleAdmins(tx, rules, { groupId: id, users: undefined, now });
    if (next || hasOtherAdmins) changed.push(id);
  }
  return changed;
}
