import { isDeepStrictEqual } from 'node:util';
import { type Cells, isSameWork, listWaiting } from '../../domain/cell.ts';
import { withSchemas } from '../../domain/extensions.ts';
import {
  type GroupField,
  type GroupState,
  isInService,
  toDesiredGroup,
} from '../../domain/group.ts';
import { toCellsAfterGroupWrite } from '../../domain/group-write.ts';
import { type GroupId, newId, type UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listTakenFromGroup } from '../../domain/protection.ts';
import { isGone } from '../../domain/resource-state.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';
import { followGroup, toRuledName } from '../../rules/follow.ts';
import { ruleGroup } from '../../rules/rule-group.ts';
import type { Rules } from '../../rules/rules.ts';
import { toChangedColumns, toDueClass, toGroupColumns } from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { saveLinks } from '../../store/links/links.ts';
import { parseInner } from '../../store/resources/nesting.ts';
import { type GroupRow, getRow, updateRow } from '../../store/resources/rows.ts';
import { toGroupState } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { Repairs } from '../repairs.ts';
import { confirmWanted } from '../writes/read-privilege.ts';
import type { GroupWriteResult } from '../writes/write-result.ts';
import {
  type EditedLink,
  editInner,
  editLinks,
  type FindPlace,
  keepKnown,
  type LinkEdit,
} from './edit-links.ts';
import { assertGroupMayLose } from './protect-group.ts';

/** One change of a group that exists. */
export interface GroupChangeRequest {
  readonly row: GroupRow;
  /** Origin of the group before the request; null: unmanaged. */
  readonly origin: Origin | null;
  /** The attributes of the row, as it was read or just inserted. */
  readonly before: JsonObject;
  /** All attributes after the change, without the lists of users. */
  readonly attributes: JsonObject;
  /** Owned fields that the request names. */
  readonly fields: readonly GroupField[];
  readonly edits: readonly LinkEdit[];
  /** True for protected members of a privileged group, who stay; absent: there is none. */
  readonly keeps?: ((userId: UserId) => boolean) | undefined;
  /** The group was inserted in this transaction, so undoing the request removes it. */
  readonly isNew: boolean;
  /** Takes the refusals of people who are not known. */
  readonly repairs: Repairs;
  readonly onlyRemoves?: boolean;
  readonly placeOf: FindPlace;
}

/**
 * Stores the attributes and lists that a provider wants, in the transaction that read the row. A write that changes
 * nothing stores nothing.
 * @throws ScimError 400 for an id that is not a user's, 403 when it would take something from a protected group
 */
export async function storeGroupChange(
  tx: Db,
  { clock, rules }: ScimDeps,
  asked: GroupChangeRequest,
): Promise<GroupWriteResult> {
  const known = await keepKnown(tx, asked);
  const request = { ...asked, edits: known.edits };
  const { row, isNew, keeps, onlyRemoves } = request;
  const inner = editInner(parseInner(row), asked.edits, onlyRemoves ? new Set() : known.groups);
  const resource = { type: 'group', id: row.id } as const;
  const version = isNew ? row.version : row.version + 1;
  const isUnsure = isInFlight(row);
  const links = await editLinks(tx, request.edits, { row, version, isUnsure, keeps, onlyRemoves });
  const removed = links.filter(({ after }) => after.desired === 0);
  const ruled = await ruleGroup(tx, rules, { row, attributes: request.attributes });
  const state = toGroupState(row);
  // Attributes that neither the request nor a rule names are those of the row.
  const isNamed = ruled.attributes !== request.before;
  const attributes = isNamed ? withSchemas(GROUP_SCHEMA_URI, ruled.attributes) : request.before;
  // The lists of a group that is gone cannot be written without its name.
  const isListed = request.edits.length > 0 && isGone(state.observed);
  const named = isListed ? (['displayName'] as const) : [];
  const fields = [...request.fields, ...ruled.changed, ...named];
  const cells = toCellsAfterGroupWrite({
    ...{ state, attributes, fields, cells: ruled.cells, version },
    inFlight: isUnsure,
  });
  const isChanged = isNamed && !isDeepStrictEqual(request.before, attributes);
  const written = { state, attributes, isChanged, cells, version, links, inner };
  const parts = { ...written, now: clock.now() };
  const demotes = removed.some(({ list }) => list === 'admin');
  const takes = demotes || (fields.length > 0 && takesFromGroup(request, parts, fields));
  if (takes) await assertGroupMayLose(tx, rules.protection, row);
  const changed = toChangedRow(request, parts);
  if (changed.isSame) {
    const same = await confirmWanted(row, (columns) => updateRow(tx, row, columns));
    const { row: next, notifies } = await follow(tx, rules, { request, changed: same, parts });
    return { ...resource, undo: undefined, row: next, notifies };
  }
  await saveGroupChange(tx, request, { ...parts, changed: changed.row });
  const followed = await follow(tx, rules, { request, changed: changed.row, parts });
  const undo = changed.isDue ? toUndo(request, changed.row, parts) : undefined;
  const { removes, ...result } = followed;
  const takesAccess = takes || removed.length > 0 || removes;
  return { ...resource, undo, takesAccess, ...result };
}

function takesFromGroup(
  { isNew }: GroupChangeRequest,
  { state, attributes }: ChangedParts,
  fields: readonly GroupField[],
): boolean {
  const change = {
    before: isNew ? undefined : state.desired,
    after: toDesiredGroup(attributes),
    observed: state.observed,
    isInService: isInService(state.ids),
    fields,
  };
  return listTakenFromGroup(change).length > 0;
}

/** Facts that take the write back. Before a create there was a deleted group of this name, or none. */
function toUndo(
  { row, before: attributes, origin, isNew }: GroupChangeRequest,
  { attributes: after }: GroupRow,
  { state, links }: ChangedParts,
): Undo {
  const released =
    origin === 'adopted' ? { attributes, cells: {}, origin, deleted: true } : undefined;
  const { admins_asked: adminsAsked, inner_groups: innerGroups } = row;
  return {
    before: isNew
      ? released
      : { attributes, cells: state.cells, origin, deleted: false, adminsAsked, innerGroups },
    after,
    links: links.map(({ list, userId, before }) => ({ list, userId, before })),
    removes: links.some(({ after }) => after.desired === 0),
  };
}

async function saveGroupChange(
  tx: Db,
  { row }: GroupChangeRequest,
  { links, changed }: ChangedParts & { changed: GroupRow },
): Promise<void> {
  const saved = links.map(({ list, userId, after }) => ({ ...after, list, target: userId }));
  await saveLinks(tx, row, saved);
  await updateRow(tx, row, toChangedColumns(row, changed));
}

/** Derives what follows from the group, in the same transaction. */
async function follow(
  tx: Db,
  rules: Rules,
  {
    request,
    changed,
    parts,
  }: { request: GroupChangeRequest; changed: GroupRow; parts: ChangedParts },
): Promise<{ row: GroupRow; notifies: boolean; removes: boolean }> {
  const { row, origin, isNew } = request;
  const isNested = changed.inner_groups !== row.inner_groups;
  const ofUsers = parts.inner.length > 0 ? ('users' as const) : undefined;
  const isReleased = changed.admins_asked < row.admins_asked || emptiesAdmins(request);
  const news = {
    id: row.id,
    before: isNew || origin === null ? undefined : row.name,
    after: toRuledName(changed),
    users: parts.links.flatMap(({ list, userId }) => (list === 'member' ? [userId] : [])),
    nested: isNested ? ('all' as const) : ofUsers,
    version: changed.version,
    ...(isReleased ? { admins: 'released' as const } : {}),
  };
  const { changedItself, ...followed } = await followGroup(tx, rules, news, parts.now);
  return { row: changedItself ? await getRow(tx, row) : changed, ...followed };
}

interface ChangedParts {
  /** State before the request. */
  readonly state: GroupState;
  readonly attributes: JsonObject;
  /** True when the attributes are not those of before. */
  readonly isChanged: boolean;
  readonly cells: Cells<GroupField>;
  readonly version: number;
  readonly now: number;
  readonly links: readonly EditedLink[];
  readonly inner: readonly GroupId[];
}

/** The row after the request; `isSame`: nothing is to be stored. */
function toChangedRow(
  request: GroupChangeRequest,
  { state, attributes, isChanged, cells, version, now, links, inner }: ChangedParts,
): { row: GroupRow; isDue: boolean; isSame: boolean } {
  const { row, isNew } = request;
  const isDue = listWaiting(cells).length > 0 || links.some(({ after }) => after.pending !== null);
  const admins_asked = toAdminsAsked(request, links);
  const inner_groups = JSON.stringify(inner);
  const isKept =
    links.length === 0 && admins_asked === row.admins_asked && inner_groups === row.inner_groups;
  return {
    isDue,
    isSame: !isNew && !isChanged && isKept && isSameWork(cells, state.cells),
    row: {
      ...row,
      ...(isChanged && toGroupColumns(attributes)),
      cells: JSON.stringify(cells),
      admins_asked,
      inner_groups,
      // One that is gone is looked for, and made anew.
      must_look: isDue && isGone(state.observed) ? Math.max(row.must_look, 1) : row.must_look,
      version,
      write_id: newId(),
      modified_at: Math.max(now, row.modified_at),
      due_at: isDue ? now : row.due_at,
      // A removal that waits already keeps its class.
      due_class: toDueClass(links.some(({ after }) => after.desired === 0) || row.due_class === 0),
    },
  };
}

/**
 * 1 when the provider owns the list of admins: it owns the list once it changes it, and gives it back by emptying it.
 * A list that is sent as it was shown changes nothing. @see RFC 7643 §2.5 (empty means unassigned)
 */
function toAdminsAsked(request: GroupChangeRequest, links: readonly EditedLink[]): number {
  if (emptiesAdmins(request)) return 0;
  const isChanged = links.some(({ list, before, after }) => {
    const wasShown = (before?.desired ?? before?.observed) === 1;
    return list === 'admin' && wasShown !== (after.desired === 1);
  });
  return isChanged ? 1 : request.row.admins_asked;
}

function emptiesAdmins({ edits }: GroupChangeRequest): boolean {
  const last = edits.findLast(({ list }) => list === 'admin');
  return last?.op === 'replace' && last.ids.length === 0;
}
