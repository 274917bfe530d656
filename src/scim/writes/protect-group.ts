import type { LinkList } from '../../domain/link.ts';
import type { UserId } from '../../domain/values.ts';
import { toFields } from '../../domain/write.ts';
import { combineAsked, listTakenFrom } from '../../rules/fields.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { chunks } from '../../store/engine/dialect.ts';
import type { StoredLink } from '../../store/links/links.ts';
import { listLinks } from '../../store/links/links.ts';
import type { GroupRow, UserRow } from '../../store/resources/rows.ts';
import { listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { ScimError } from '../errors.ts';
import type { Asked, ListEdit } from './kind.ts';
import { foldEdits } from './kind.ts';

const NOBODY: ReadonlySet<UserId> = new Set();

/** Edits of one list, and the links that it has to the users whom they concern. */
export interface ListChange {
  readonly row: GroupRow;
  readonly list: LinkList;
  readonly edits: readonly ListEdit[];
  readonly known: readonly StoredLink[];
}

/** Finds the protected members of a privileged group, or its admins, who stay although the request removes them. */
export async function findKept(
  tx: Db,
  deps: ScimDeps,
  { row, list, edits, known }: ListChange,
): Promise<ReadonlySet<UserId>> {
  if (edits.every(({ op }) => op === 'add')) return NOBODY;
  const isPrivileged = list === 'admin' || (await findGroupPrivilege(tx, deps, row)) !== undefined;
  if (!isPrivileged) return NOBODY;
  const leaving = [...foldEdits(edits, known)].flatMap(([id, isIn]) => (isIn ? [] : [id]));
  return listProtected(tx, deps, leaving);
}

async function listProtected(
  tx: Db,
  { rules }: ScimDeps,
  userIds: readonly UserId[],
  counts: (row: UserRow) => boolean = () => true,
): Promise<Set<UserId>> {
  const found = new Set<UserId>();
  for (const chunk of chunks(userIds)) {
    const rows = (await listRows(tx, 'user', { id: chunk })).filter(counts);
    for (const id of (await rules.protection.listPrivileged(tx, rows)).keys()) found.add(id);
  }
  return found;
}

const toLoss = (what: string) => new ScimError(403, `A protected person would ${what} the group.`);

/** 403: somebody protected would be taken off the list of admins. */
export const stillAdmin = () => toLoss('no longer administer');

const losesRights = () => toLoss('lose the rights of');

/** Stops a change of fields that takes rights from a protected member, also by the rules of another name. @throws ScimError 403 */
export async function assertKeepsRights(tx: Db, deps: ScimDeps, row: GroupRow, asked: Asked) {
  const combined = await combineAsked(tx, deps.rules, { ...asked, row });
  // A field without a rule is released, which takes nothing.
  const ruled = combined.fields.filter((field) => combined.cells[field]?.source !== undefined);
  const fields = [...toFields('group', asked.names), ...ruled];
  const taken = listTakenFrom(row, { ...combined, fields });
  if (taken.length > 0 && (await hasProtected(tx, deps, row, 'member'))) throw losesRights();
}

/** Stops a deletion that takes the rights of the group from a protected user. An adopted group keeps whom the bridge found there. @throws ScimError 403 */
export async function assertDemotesNobody(tx: Db, deps: ScimDeps, row: GroupRow): Promise<void> {
  const isLost = ({ put_in, pending }: StoredLink) =>
    row.origin === 'created' || put_in === 1 || pending !== undefined;
  if (await hasProtected(tx, deps, row, 'admin', isLost)) throw stillAdmin();
  if ((await findGroupPrivilege(tx, deps, row)) === undefined) return;
  if (await hasProtected(tx, deps, row, 'member', isLost)) throw losesRights();
}

async function hasProtected(
  tx: Db,
  deps: ScimDeps,
  row: GroupRow,
  list: LinkList,
  isMeant = (_: StoredLink) => true,
): Promise<boolean> {
  const links = (await listLinks(tx, row, { list })).filter(
    (link) => (link.desired === 1 || link.observed === 1) && isMeant(link),
  );
  const ids = links.map(({ userId }) => userId);
  const { isOwn } = deps.rules.protection;
  return (await listProtected(tx, deps, ids, (user) => !isOwn(user))).size > 0;
}
