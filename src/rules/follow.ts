import type { GroupId, UserId } from '../domain/ids.ts';
import { toChangedColumns } from '../store/engine/columns.ts';
import { chunks } from '../store/engine/dialect.ts';
import type { GroupRow } from '../store/groups/groups.ts';
import {
  listGroupNamesOf,
  listManagedGroups,
  listWantedMembers,
  lockManagedUsers,
  lockRuleInputs,
} from '../store/resources/rule-inputs.ts';
import type { Db } from '../store/store.ts';
import { updateUser } from '../store/users/users.ts';
import { ruleAdmins } from './rule-admins.ts';
import { toRuledUser } from './rule-user.ts';
import { hasRules, type Rules } from './rules.ts';

/** A group that a transaction has changed, as far as rules read it. */
export interface GroupNews {
  readonly id: GroupId;
  /** Its name while it was live and managed, before and after; undefined: it was not. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Who came or left. */
  readonly people: readonly UserId[];
  /** Its own admin list may be the rules' again. */
  readonly admins?: 'given back';
}

/**
 * Begins a transaction whose outcome rules may read: `people` before somebody joins or leaves a group,
 * `names` before a group comes, goes or is renamed. Nothing without rules.
 */
export async function enterRules(tx: Db, rules: Rules, of: 'users' | 'names'): Promise<void> {
  if (hasRules(rules)) await lockRuleInputs(tx, of);
}

/** What followed from it. */
export interface Followed {
  /** Other people or groups may be due. */
  readonly wakes: boolean;
  /** The group itself has another version. */
  readonly changedItself: boolean;
}

const NOTHING: Followed = { wakes: false, changedItself: false };

/** The name by which rules know a group; undefined: they do not, because it is not managed or not there. */
export function toRuledName(
  row: Pick<GroupRow, 'origin' | 'deleted_at' | 'display_name'> | undefined,
): string | undefined {
  return row && row.origin !== null && row.deleted_at === null ? row.display_name : undefined;
}

/**
 * Brings up to date what rules derive from a group, in the transaction that changed it: the fields of people
 * who came or left, admin lists that draw on it, its own admin list. Where only people changed, nobody else
 * is looked at. `now` is epoch milliseconds.
 */
export async function followGroup(
  tx: Db,
  rules: Rules,
  news: GroupNews,
  now: number,
): Promise<Followed> {
  if (!hasRules(rules)) return NOTHING;
  const isRenamed = news.before !== news.after;
  if (!isRenamed && news.people.length === 0 && news.admins === undefined) return NOTHING;
  const wakesPeople = await followMembers(tx, rules, news, now);
  const changed = await followAdministered(tx, rules, news, now);
  const own = isRenamed || news.admins !== undefined;
  const changedItself =
    own && news.after !== undefined
      ? await ruleAdmins(tx, rules, { groupId: news.id, people: undefined, now })
      : false;
  return {
    wakes: wakesPeople || changed.size > 0 || changedItself,
    changedItself: changedItself || changed.has(news.id),
  };
}

async function followMembers(
  tx: Db,
  rules: Rules,
  { id, before, after, people }: GroupNews,
  now: number,
): Promise<boolean> {
  const names = [before, after].filter((name) => name !== undefined);
  if (!names.some(rules.book.drivesMembers)) return false;
  const all = before === after ? [] : await listWantedMembers(tx, [id]);
  return followPeople(tx, rules, [...new Set([...people, ...all])], now);
}

/** The groups whose admin lists changed. */
async function followAdministered(
  tx: Db,
  rules: Rules,
  { before, after, people }: GroupNews,
  now: number,
): Promise<Set<GroupId>> {
  const names = before === after ? [after] : [before, after];
  const queries = names.flatMap((name) =>
    name === undefined ? [] : rules.book.listAdministered(name),
  );
  const some = before === after ? people : undefined;
  const changed = new Set<GroupId>();
  if (some?.length === 0) return changed;
  for (const { id } of await listManagedGroups(tx, queries)) {
    if (await ruleAdmins(tx, rules, { groupId: id, people: some, now })) changed.add(id);
  }
  return changed;
}

/** Brings the ruled fields of managed people up to date. True: somebody changed. */
export async function followPeople(
  tx: Db,
  rules: Rules,
  userIds: readonly UserId[],
  now: number,
): Promise<boolean> {
  let changed = false;
  for (const chunk of chunks([...userIds].sort())) {
    const rows = await lockManagedUsers(tx, chunk);
    // Only now: whoever puts one of them into another group waits for the row.
    const names = await listGroupNamesOf(tx, chunk);
    for (const row of rows) {
      const next = await toRuledUser(tx, rules, { row, names: names.get(row.id) ?? [], now });
      if (next === undefined) continue;
      await updateUser(tx, row.id, toChangedColumns(row, next));
      changed = true;
    }
  }
  return changed;
}

/** Brings up to date all that rules derive from one person's groups. True: something changed. */
export async function followPerson(
  tx: Db,
  rules: Rules,
  userId: UserId,
  now: number,
): Promise<boolean> {
  if (!hasRules(rules)) return false;
  let changed = await followPeople(tx, rules, [userId], now);
  const names = (await listGroupNamesOf(tx, [userId])).get(userId) ?? [];
  const queries = names.flatMap(rules.book.listAdministered);
  for (const { id } of await listManagedGroups(tx, queries)) {
    const isChanged = await ruleAdmins(tx, rules, { groupId: id, people: [userId], now });
    changed ||= isChanged;
  }
  return changed;
}
