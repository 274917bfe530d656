import type { GroupId, UserId } from '../domain/ids.ts';
import { toAdminAfterRules } from '../domain/ruled-admin.ts';
import { toDueClass } from '../store/engine/columns.ts';
import { type GroupRow, lockGroup, updateGroup } from '../store/groups/groups.ts';
import { isInFlight } from '../store/in-flight.ts';
import {
  type AdminRow,
  listAdminRows,
  listManagedGroups,
  listWantedMembers,
  saveRuledAdmins,
} from '../store/resources/rule-inputs.ts';
import type { Db } from '../store/store.ts';
import { listUserRows } from '../store/users/users.ts';
import type { Rules } from './rules.ts';

/** Admin list to be updated: all of it, or these users alone. */
export interface AdminsNews {
  readonly groupId: GroupId;
  readonly users: readonly UserId[] | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Updates the admins of a managed group to those that the rules want, unless a provider writes the list. The row is
 * locked first, so that a concurrent change of another source is seen. True when the list changed.
 */
export async function ruleAdmins(
  tx: Db,
  rules: Rules,
  { groupId, users, now }: AdminsNews,
): Promise<boolean> {
  const row = await lockGroup(tx, groupId);
  if (row === undefined || row.origin === null || row.deleted_at !== null) return false;
  if (row.admins_asked === 1) return false;
  const wanted = await listWanted(tx, rules, row, users);
  const held = await listAdminRows(tx, groupId, users);
  const changes = toChanges(row, { wanted, held });
  const writes = await withoutProtected(tx, rules, changes);
  if (writes.length === 0) return false;
  await saveRuledAdmins(tx, groupId, writes);
  await updateGroup(tx, groupId, toColumns(row, writes, now));
  return true;
}

async function listWanted(
  tx: Db,
  rules: Rules,
  row: GroupRow,
  users: readonly UserId[] | undefined,
): Promise<Set<UserId>> {
  const ruling = rules.book.isEmpty ? undefined : rules.book.ruleAdmins(row.display_name);
  if (ruling === undefined) return new Set();
  const sources = await listManagedGroups(tx, [ruling.sources]);
  const ids = sources.map(({ id }) => id);
  return listWantedMembers(tx, ids, users);
}

function toChanges(
  row: GroupRow,
  { wanted, held }: { wanted: Set<UserId>; held: readonly AdminRow[] },
): AdminRow[] {
  const version = row.version + 1;
  const unsure = row.must_look !== 0 || isInFlight(row);
  const heldById = new Map(held.map((admin) => [admin.userId, admin]));
  return [...new Set([...heldById.keys(), ...wanted])].flatMap((userId) => {
    const rule = { wanted: wanted.has(userId), version, unsure };
    const after = toAdminAfterRules(heldById.get(userId), rule);
    return after === undefined ? [] : [{ ...after, userId }];
  });
}

/** Leaves out protected users, whom a rule may demote as little as a request. */
async function withoutProtected(
  tx: Db,
  { protection }: Rules,
  changes: readonly AdminRow[],
): Promise<AdminRow[]> {
  const leaving = changes.filter(({ desired }) => desired !== 1).map(({ userId }) => userId);
  if (leaving.length === 0) return [...changes];
  const stay = await protection.listPrivileged(tx, await listUserRows(tx, leaving));
  return changes.filter(({ userId, desired }) => desired === 1 || !stay.has(userId));
}

function toColumns(row: GroupRow, writes: readonly AdminRow[], now: number): Partial<GroupRow> {
  const shown = { version: row.version + 1, modified_at: now };
  const waiting = writes.filter(({ pending }) => pending !== null);
  if (waiting.length === 0) return shown;
  const removes = waiting.some(({ desired }) => desired === 0);
  return { ...shown, due_at: now, due_class: toDueClass(removes || row.due_class === 0) };
}
