import { assertNever } from '../../domain/errors.ts';
import { toWrittenName } from '../../domain/extensions.ts';
import type { UserId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { type ListedUser, listUsersById, listUsersOfGroups } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { UserList } from '../dialect/entries.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { toGroupChanges } from '../patch/to-group-changes.ts';
import { toUserEntry } from '../render/resource-text.ts';
import type { GroupTarget } from './change-group.ts';
import type { LinkEdit } from './edit-links.ts';
import { toUserIds } from './store-change.ts';

/** A PATCH and the group it is for. */
export interface GroupPatch {
  readonly row: GroupRow;
  readonly before: JsonObject;
  readonly steps: readonly PatchStep[];
}

/**
 * Applies the operations to a group, each on top of those before it. Reads its users only where a filter asks
 * for them.
 */
export async function applyGroupSteps(
  tx: Db,
  deps: Pick<ScimDeps, 'baseUrl' | 'turns'>,
  { row, before, steps }: GroupPatch,
): Promise<GroupTarget> {
  const edits: { members: LinkEdit[]; admins: LinkEdit[] } = { members: [], admins: [] };
  const names = new Set<string>();
  const readHeld = rememberUsers(tx, row);
  let attributes = before;
  for (const change of toGroupChanges(steps)) {
    switch (change.kind) {
      case 'set':
        attributes = setAttributes(attributes, change.attributes);
        for (const name of listNames(change.attributes)) names.add(name);
        break;
      case 'members':
      case 'admins': {
        const list = edits[change.kind];
        if (change.op === 'removeWhere') {
          const users = await listAfter(tx, row, {
            edits: list,
            held: () => readHeld(change.kind),
          });
          list.push({ op: 'remove', ids: await listMatching(users, change.filter, deps) });
        } else list.push({ op: change.op, ids: toUserIds(change.ids) });
        break;
      }
      default:
        assertNever(change);
    }
  }
  return { attributes, names, ...edits, placeOf: (list, id) => toPlace(steps, list, id) };
}

/** Place in the request where a user joins a list. */
function toPlace(steps: readonly PatchStep[], list: UserList, id: UserId): string | undefined {
  for (const step of steps) {
    if (step.kind !== 'users' || step.list !== list || step.op === 'remove') continue;
    const index = step.ids.indexOf(id);
    if (index === -1) continue;
    const place = `Value ${index + 1} of ${list}`;
    return step.operation === undefined ? place : `Operation ${step.operation}: ${place}`;
  }
  return undefined;
}

/** Attributes that a change names, those of an extension one by one. */
function listNames(attributes: JsonObject): string[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    if (!isJsonObject(value)) return [name];
    return Object.keys(value).map((part) => toWrittenName(name, part));
  });
}

/** null unassigns; an extension is merged part by part. */
function setAttributes(held: JsonObject, changes: JsonObject): JsonObject {
  const next: JsonObject = { ...held };
  for (const [name, value] of Object.entries(changes)) {
    const before = next[name];
    if (value === null) delete next[name];
    else if (isJsonObject(value)) {
      next[name] = setAttributes(isJsonObject(before) ? before : {}, value);
      if (Object.keys(next[name]).length === 0) delete next[name];
    } else next[name] = value;
  }
  return next;
}

/** Reads the lists of a group as they are before the request, each once. */
function rememberUsers(tx: Db, row: GroupRow): (list: UserList) => Promise<ListedUser[]> {
  const known = new Map<UserList, Promise<ListedUser[]>>();
  return (list) => {
    const table = list === 'members' ? 'memberships' : 'group_admins';
    const users = known.get(list) ?? listUsersOfGroups(tx, table, [row.id]);
    known.set(list, users);
    return users;
  };
}

/** Users of a list after the edits so far. Those from before are not read where an edit replaced the list. */
async function listAfter(
  tx: Db,
  row: GroupRow,
  { edits, held }: { edits: readonly LinkEdit[]; held: () => Promise<ListedUser[]> },
): Promise<ListedUser[]> {
  const replacedAt = edits.findLastIndex(({ op }) => op === 'replace');
  const isIn = new Map<UserId, boolean>();
  for (const { op, ids } of edits.slice(Math.max(replacedAt, 0))) {
    for (const id of ids) isIn.set(id, op !== 'remove');
  }
  const stayed = replacedAt >= 0 ? [] : (await held()).filter(({ id }) => !isIn.has(id));
  const named = [...isIn].flatMap(([id, isThere]) => (isThere ? [id] : []));
  return [...stayed, ...(await listUsersById(tx, row.id, named))];
}

async function listMatching(
  users: readonly ListedUser[],
  filter: Filter,
  deps: Pick<ScimDeps, 'baseUrl' | 'turns'>,
): Promise<UserId[]> {
  const ids: UserId[] = [];
  for (const user of users) {
    if (matches(filter, toUserEntry(deps, user))) ids.push(user.id);
    const pause = deps.turns();
    if (pause) await pause;
  }
  return ids;
}
