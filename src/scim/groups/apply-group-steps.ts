import { assertNever } from '../../domain/errors.ts';
import { userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Db } from '../../store/database.ts';
import type { GroupRow } from '../../store/groups.ts';
import { listPeopleOfGroups, type PersonView } from '../../store/views.ts';
import type { PeopleList } from '../dialect/parse-members.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { toGroupChanges } from '../patch/to-group-changes.ts';
import type { GroupTarget } from './change-group.ts';
import type { LinkEdit } from './edit-links.ts';
import { toUserIds } from './store-change.ts';

/** A PATCH and the group it is for. */
export interface GroupPatch {
  readonly row: GroupRow;
  readonly before: JsonObject;
  readonly steps: readonly PatchStep[];
}

/** What the operations make of a group. Reads who is in it only where a filter asks for that. */
export async function applyGroupSteps(
  tx: Db,
  { row, before, steps }: GroupPatch,
): Promise<GroupTarget> {
  const edits: { members: LinkEdit[]; admins: LinkEdit[] } = { members: [], admins: [] };
  const names = new Set<string>();
  const readPeople = rememberPeople(tx, row);
  let attributes = before;
  for (const change of toGroupChanges(steps)) {
    switch (change.kind) {
      case 'set':
        attributes = setAttributes(attributes, change.attributes);
        for (const name of Object.keys(change.attributes)) names.add(name);
        break;
      case 'members':
      case 'admins': {
        const ids =
          change.op === 'removeWhere'
            ? toMatching(await readPeople(change.kind), change.filter)
            : toUserIds(change.ids);
        const op = change.op === 'removeWhere' ? 'remove' : change.op;
        edits[change.kind].push({ op, ids });
        break;
      }
      default:
        assertNever(change);
    }
  }
  return { attributes, names, ...edits };
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

/** Who is in the lists of a group before the request, read once each. */
function rememberPeople(tx: Db, row: GroupRow): (list: PeopleList) => Promise<PersonView[]> {
  const known = new Map<PeopleList, Promise<PersonView[]>>();
  return (list) => {
    const table = list === 'members' ? 'memberships' : 'group_admins';
    const people = known.get(list) ?? listPeopleOfGroups(tx, table, [row.id]);
    known.set(list, people);
    return people;
  };
}

function toMatching(people: readonly PersonView[], filter: Filter): LinkEdit['ids'] {
  return people
    .filter(({ id, display }) => matches(filter, { value: id, display, type: 'User' }))
    .map(({ id }) => userId(id));
}
