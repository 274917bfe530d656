import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { LinkList } from '../../domain/link.ts';
import { streamShown } from '../../store/links/shown.ts';
import { findInnerGroups, parseInner } from '../../store/resources/nesting.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { listUsersById } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { PatchStep } from '../dialect/parse-path.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { parseShown, toEntry, toUsersUrl } from '../render/resource-text.ts';
import type { UserList } from '../schema/resource-schemas.ts';
import { type LinkEdit, toUserIds } from './edit-links.ts';

/**
 * The edits that the steps of a PATCH make of a group's lists, each on top of those before it. Reads the users of the group
 * only where a filter asks for them.
 */
export async function toListEdits(
  tx: Db,
  deps: Pick<ScimDeps, 'baseUrl' | 'formerIds'>,
  { row, steps }: { readonly row: GroupRow; readonly steps: readonly PatchStep[] },
): Promise<LinkEdit[]> {
  const edits: LinkEdit[] = [];
  let findHeld: FindHeld | undefined;
  for (const step of steps) {
    if (step.kind !== 'users' && step.kind !== 'users-where') continue;
    const list = toLinkList(step.list);
    if (step.kind === 'users') {
      edits.push({ list, op: step.op, ids: toUserIds(deps, step.ids) });
      continue;
    }
    const own = edits.filter((edit) => edit.list === list);
    const wasReplaced = own.some(({ op }) => op === 'replace');
    findHeld ??= rememberFound(tx, deps, { row, steps });
    const held = wasReplaced ? [] : await findHeld(step.list, step.filter);
    const users = await listUsersById(tx, listAdded(own));
    const added = users.filter((user) => matches(step.filter, toEntry(deps, user)));
    edits.push({ list, op: 'remove', ids: [...held, ...added.map(({ id }) => id)] });
  }
  return edits;
}

function toLinkList(list: UserList): LinkList {
  return list === 'members' ? 'member' : 'admin';
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
  { row, steps }: { readonly row: GroupRow; readonly steps: readonly PatchStep[] },
): FindHeld {
  const found = new Map<UserList, Promise<Map<Filter, UserId[]>>>();

  async function look(list: UserList): Promise<Map<Filter, UserId[]>> {
    const filters = steps.flatMap((step) =>
      step.kind === 'users-where' && step.list === list ? [step.filter] : [],
    );
    const ids = new Map<Filter, UserId[]>(filters.map((filter) => [filter, []]));
    const note = (entry: JsonObject, id: string) => {
      const first = filters.find((filter) => matches(filter, entry));
      if (first) ids.get(first)?.push(userId(id));
    };
    const shown = { list: toLinkList(list), usersUrl: toUsersUrl(deps) };
    for await (const page of streamShown(tx, row.seq, shown)) {
      for (const user of parseShown(page)) note(user, String(user.value));
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
