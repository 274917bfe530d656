import { toDesiredGroup } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { LinkList } from '../../domain/link.ts';
import { hasMoreBits, joinBits } from '../../domain/mask.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { listLinkedUsers, listLinks, type StoredLink } from '../../store/links/links.ts';
import type { Protection } from '../../store/resources/protection.ts';
import { type GroupRow, listRowsById, type UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { ScimError } from '../errors.ts';
import type { LinkEdit } from './edit-links.ts';

/** Stops a write that takes something from a protected group. @throws ScimError 403 with the reason */
export async function assertGroupMayLose(
  tx: Db,
  protection: Protection,
  row: GroupRow,
): Promise<void> {
  const reason = await protection.findGroupReason(tx, row);
  if (reason !== undefined) throw new ScimError(403, reason);
}

/**
 * Finds the protected members of a privileged group, who stay although the request removes them: leaving would demote
 * them; undefined: nobody stays. An admin list is privileged by itself: there the removal of a protected user answers 403.
 */
export async function findKept(
  tx: Db,
  deps: ScimDeps,
  { row, edits }: { row: GroupRow; edits: readonly LinkEdit[] },
): Promise<((userId: UserId) => boolean) | undefined> {
  const members = edits.filter(({ list }) => list === 'member');
  const admins = edits.filter(({ list }) => list === 'admin');
  if (removes(admins)) await assertNoneProtected(tx, deps, { row, admins });
  if (!removes(members) || (await findGroupPrivilege(tx, deps, row)) === undefined) {
    return undefined;
  }
  const protectedIds = await listProtected(tx, deps, await listCandidates(tx, row, members));
  return (userId) => protectedIds.has(userId);
}

function removes(edits: readonly LinkEdit[]): boolean {
  return edits.some(({ op }) => op !== 'add');
}

async function listCandidates(
  tx: Db,
  row: GroupRow,
  edits: readonly LinkEdit[],
): Promise<UserId[]> {
  if (edits.every(({ op }) => op !== 'replace')) {
    return edits.flatMap(({ op, ids }) => (op === 'remove' ? ids : []));
  }
  return listLinkedUsers(tx, row);
}

async function listProtected(
  tx: Db,
  { rules }: ScimDeps,
  userIds: readonly UserId[],
  counts: (row: UserRow) => boolean = () => true,
): Promise<Set<UserId>> {
  const found = new Set<UserId>();
  for (const chunk of chunks(userIds)) {
    const rows = (await listRowsById(tx, 'user', chunk)).filter(counts);
    for (const id of (await rules.protection.listPrivileged(tx, rows)).keys()) found.add(id);
  }
  return found;
}

async function assertNoneProtected(
  tx: Db,
  deps: ScimDeps,
  { row, admins }: { row: GroupRow; admins: readonly LinkEdit[] },
): Promise<void> {
  const held = await listLinks(tx, row, { list: 'admin' });
  const replaced = admins.findLast(({ op }) => op === 'replace');
  const stays = new Set(replaced?.ids ?? []);
  const leaving = replaced
    ? held.map(({ userId }) => userId).filter((userId) => !stays.has(userId))
    : admins.flatMap(({ op, ids }) => (op === 'remove' ? ids : []));
  if ((await listProtected(tx, deps, leaving)).size > 0) throw stillAdmin();
}

function stillAdmin(): ScimError {
  return new ScimError(403, 'A protected person would no longer administer the group.');
}

/**
 * Stops a deletion that takes the group's rights from somebody protected, as the removal of the same people would. A
 * group that the bridge did not create keeps whom it found there, and the account of the token may lose what it created.
 * @throws ScimError 403
 */
export async function assertDemotesNobody(tx: Db, deps: ScimDeps, row: GroupRow): Promise<void> {
  if (await losesProtected(tx, deps, { row, list: 'admin' })) throw stillAdmin();
  if ((await findGroupPrivilege(tx, deps, row)) === undefined) return;
  if (!(await losesProtected(tx, deps, { row, list: 'member' }))) return;
  throw new ScimError(403, 'A protected person would lose the rights of the group.');
}

async function losesProtected(
  tx: Db,
  deps: ScimDeps,
  { row, list }: { readonly row: GroupRow; readonly list: LinkList },
): Promise<boolean> {
  const isLost = ({ desired, observed, put_in, pending }: StoredLink) =>
    (desired === 1 || observed === 1) &&
    (row.origin === 'created' || put_in === 1 || pending !== null);
  const lost = (await listLinks(tx, row, { list })).filter(isLost);
  const { isOwn } = deps.rules.protection;
  const ids = await listProtected(
    tx,
    deps,
    lost.map(({ userId }) => userId),
    (user) => !isOwn(user),
  );
  return ids.size > 0;
}

/** Stops permission bits that a provider may not set. @throws ScimError 403 */
export function assertPermissions(
  { policy }: ScimDeps,
  before: JsonObject | undefined,
  attributes: JsonObject,
): void {
  const wanted = toDesiredGroup(attributes).permissions;
  if (wanted === undefined) return;
  const held = toDesiredGroup(before ?? {}).permissions ?? 0;
  // Bits that the group has by a rule or by hand may be said again, but none may be gained.
  if (!hasMoreBits(wanted, joinBits(held, policy.permissionsMax))) return;
  throw new ScimError(403, 'The settings do not let a provider give a group these permissions.');
}
