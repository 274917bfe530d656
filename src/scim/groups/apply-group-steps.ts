import { assertNever } from '../../domain/errors.ts';
import { toWrittenName } from '../../domain/extensions.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { findInnerGroups, parseInner } from '../../store/resources/nesting.ts';
import {
  type ListedUser,
  listUsersById,
  streamUsersOfGroups,
} from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { AttributeStep, PatchStep } from '../dialect/parse-path.ts';
import { findSentPlace } from '../dialect/parse-resource.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { toEntry } from '../render/resource-text.ts';
import type { UserList } from '../schema/resource-schemas.ts';
import type { GroupTarget } from './change-group.ts';
import { type LinkEdit, toUserIds } from './edit-links.ts';

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
  deps: Pick<ScimDeps, 'baseUrl' | 'formerIds'>,
  { row, before, steps }: GroupPatch,
): Promise<GroupTarget> {
  const edits: { members: LinkEdit[]; admins: LinkEdit[] } = { members: [], admins: [] };
  const names = new Set<string>();
  const changes = toGroupChanges(steps);
  let findHeld: FindHeld | undefined;
  let attributes = before;
  for (const change of changes) {
    switch (change.kind) {
      case 'set':
        attributes = setAttributes(attributes, change.attributes);
        for (const name of listNames(change.attributes)) names.add(name);
        break;
      case 'members':
      case 'admins': {
        const list = edits[change.kind];
        if (change.op === 'removeWhere') {
          const wasReplaced = list.some(({ op }) => op === 'replace');
          findHeld ??= rememberFound(tx, deps, { row, changes });
          const held = wasReplaced ? [] : await findHeld(change.kind, change.filter);
          const users = await listUsersById(tx, row.id, listAdded(list));
          const added = listMatching(users, change.filter, deps);
          list.push({ op: 'remove', ids: [...held, ...added] });
        } else list.push({ op: change.op, ids: toUserIds(deps, change.ids) });
        break;
      }
      default:
        assertNever(change);
    }
  }
  return { attributes, names, ...edits, placeOf: (list, id) => toPlace(steps, list, id) };
}

/**
 * One change of a group by a PATCH.
 * - `set`: attributes, an extension's below its URN; null clears one; attributes that are not named stay
 * - `members`, `admins`: the ids of users, each once; `replace` by none empties the list
 * - `removeWhere`: the users that the filter on the list's element finds
 */
export type GroupChange =
  | { readonly kind: 'set'; readonly attributes: JsonObject }
  | {
      readonly kind: UserList;
      readonly op: 'add' | 'remove' | 'replace';
      readonly ids: readonly string[];
    }
  | { readonly kind: UserList; readonly op: 'removeWhere'; readonly filter: Filter };

/**
 * The changes that the steps make, in order; neighbours that do the same are one change, because some
 * providers send an operation for each member. Linear in the number of ids.
 */
export function toGroupChanges(steps: readonly PatchStep[]): GroupChange[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last && isSameChange(last[0], step)) last.push(step);
    else runs.push([step]);
  }
  return runs.map(toChange);
}

/** Neighbouring steps that become one change. */
type Run = [PatchStep, ...PatchStep[]];

function isSameChange(a: PatchStep, b: PatchStep): boolean {
  if (isAttributeStep(a)) return isAttributeStep(b);
  if (a.kind !== 'users' || b.kind !== 'users') return false;
  return a.list === b.list && a.op === b.op && a.op !== 'replace';
}

function isAttributeStep(step: PatchStep): step is AttributeStep {
  return step.kind !== 'users' && step.kind !== 'users-where';
}

function toChange(run: Run): GroupChange {
  const [first] = run;
  if (first.kind === 'users') {
    const ids = run.flatMap((step) => (step.kind === 'users' ? step.ids : []));
    return { kind: first.list, op: first.op, ids: [...new Set(ids)] };
  }
  if (first.kind === 'users-where') {
    return { kind: first.list, op: 'removeWhere', filter: first.filter };
  }
  return { kind: 'set', attributes: toAttributes(run.filter(isAttributeStep)) };
}

function toAttributes(steps: readonly AttributeStep[]): JsonObject {
  const attributes: JsonObject = {};
  for (const step of steps) {
    const { extension, attribute } = step.target.path;
    const held = extension === undefined ? attributes : attributes[extension];
    const container = isJsonObject(held) ? held : {};
    if (extension !== undefined) attributes[extension] = container;
    container[attribute.name] = toValue(step);
  }
  return attributes;
}

function toValue(step: AttributeStep) {
  switch (step.kind) {
    case 'set':
      return step.value;
    case 'clear':
    case 'exclude':
      return null;
    default:
      return assertNever(step);
  }
}

/** Place in the request where a user joins a list. */
function toPlace(steps: readonly PatchStep[], list: UserList, id: UserId): string | undefined {
  for (const step of steps) {
    if (step.kind !== 'users' || step.list !== list || step.op === 'remove') continue;
    const place = findSentPlace(list, step.sent, id);
    if (place === undefined) continue;
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

/** Finds the users of a list from before the request whom a filter names. */
type FindHeld = (list: UserList, filter: Filter) => Promise<readonly UserId[]>;

/**
 * Asks all filters of a list in one look at its users, who pass by some thousands at a time and are kept only where
 * one finds them. Each user is of the first filter that does: then the user is gone, and back only by its id.
 */
function rememberFound(
  tx: Db,
  deps: Pick<ScimDeps, 'baseUrl'>,
  { row, changes }: { readonly row: GroupRow; readonly changes: readonly GroupChange[] },
): FindHeld {
  const found = new Map<UserList, Promise<Map<Filter, UserId[]>>>();

  async function look(list: UserList): Promise<Map<Filter, UserId[]>> {
    const filters = changes.flatMap((change) =>
      change.kind === list && change.op === 'removeWhere' ? [change.filter] : [],
    );
    const ids = new Map<Filter, UserId[]>(filters.map((filter) => [filter, []]));
    const note = (entry: JsonObject, id: string) => {
      const first = filters.find((filter) => matches(filter, entry));
      if (first) ids.get(first)?.push(userId(id));
    };
    const table = list === 'members' ? 'memberships' : 'group_admins';
    for await (const page of streamUsersOfGroups(tx, table, [row.id])) {
      for (const user of page) note(toEntry(deps, user), user.id);
    }
    const inner = await findInnerGroups(tx, list === 'members' ? parseInner(row) : []);
    for (const group of inner.values()) note(toEntry(deps, group, 'Group'), group.id);
    return ids;
  }

  return async (list, filter) => {
    const looked = found.get(list) ?? look(list);
    found.set(list, looked);
    return (await looked).get(filter) ?? [];
  };
}

/** Users whom the edits so far name and leave in the list; a replacement forgets those before it. */
function listAdded(edits: readonly LinkEdit[]): UserId[] {
  const replacedAt = edits.findLastIndex(({ op }) => op === 'replace');
  const isIn = new Map<UserId, boolean>();
  for (const { op, ids } of edits.slice(Math.max(replacedAt, 0))) {
    for (const id of ids) isIn.set(id, op !== 'remove');
  }
  return [...isIn].flatMap(([id, isThere]) => (isThere ? [id] : []));
}

function listMatching(
  users: readonly ListedUser[],
  filter: Filter,
  deps: Pick<ScimDeps, 'baseUrl'>,
): UserId[] {
  return users.filter((user) => matches(filter, toEntry(deps, user))).map(({ id }) => id);
}
