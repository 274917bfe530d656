import { isDeepStrictEqual } from 'node:util';
import { type Cells, isSameWork, listWaiting } from '../../domain/cell.ts';
import { type GroupField, type LinkChange, toDesiredGroup } from '../../domain/group.ts';
import { toCellsAfterGroupWrite } from '../../domain/group-write.ts';
import { newId, type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isGone } from '../../domain/missed.ts';
import { listTakenFromGroup } from '../../domain/protection.ts';
import { GROUP_SCHEMA_URI, withSchemas } from '../../domain/schemas.ts';
import type { HeadStart } from '../../reconcile/bounded-wait.ts';
import { isAtRest } from '../../reconcile/head-start.ts';
import { followGroup, toRuledName } from '../../rules/follow.ts';
import { ruleGroup } from '../../rules/rule-group.ts';
import { hasRules, type Rules } from '../../rules/rules.ts';
import {
  parseCells,
  toChangedColumns,
  toDueClass,
  toGroupColumns,
} from '../../store/engine/columns.ts';
import {
  type GroupRow,
  getGroupRow,
  hasUpstreamIds,
  toGroupState,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { listExistingUsers, type NamedUsers, saveLinks } from '../../store/links/links.ts';
import { touchMembers, touchUsers } from '../../store/links/shown.ts';
import type { WaitingLinks } from '../../store/links/waiting.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { UserList } from '../dialect/entries.ts';
import { invalidValue } from '../errors.ts';
import { type Begin, confirmWanted } from '../writes/store-write.ts';
import type { GroupWriteResult } from '../writes/write-result.ts';
import { editLinks, type LinkEdit, type LinkEdits } from './edit-links.ts';
import { assertGroupMayLose } from './protect-group.ts';

/** Finds the place in a request where a user joins a list; undefined: the request lacks the user. */
export type FindPlace = (list: UserList, id: UserId) => string | undefined;

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
  readonly members: readonly LinkEdit[];
  readonly admins: readonly LinkEdit[];
  /** True for protected members of a privileged group, who stay. */
  readonly keeps: (userId: UserId) => boolean;
  /** The group was inserted in this transaction, so undoing the request removes it. */
  readonly isNew: boolean;
  /** The users whom the edits of members name, where they were read already. */
  readonly named?: NamedUsers | undefined;
  readonly placeOf: FindPlace;
  /** Begins the change at once, where that is possible. */
  readonly begin?: Begin;
}

/**
 * Stores the attributes and lists that a provider wants, in the transaction that read the row. A write that changes
 * nothing stores nothing.
 * @throws ScimError 400 for an id that is not a user's, 403 when it would take something from a protected group
 */
export async function storeGroupChange(
  tx: Db,
  { clock, rules, turns }: ScimDeps,
  request: GroupChangeRequest,
): Promise<GroupWriteResult> {
  const { row, isNew, named } = request;
  const now = clock.now();
  const version = isNew ? row.version : row.version + 1;
  const context = {
    groupId: row.id,
    version,
    inFlight: isInFlight(row),
    keeps: request.keeps,
    turns,
  };
  await assertUsersExist(tx, 'members', request, named);
  await assertUsersExist(tx, 'admins', request);
  const members = await editLinks(tx, 'memberships', request.members, { ...context, named });
  const admins = await editLinks(tx, 'group_admins', request.admins, context);
  const state = toGroupState(row);
  const ruled = await ruleGroup(tx, rules, { row, attributes: request.attributes });
  const attributes = withSchemas(GROUP_SCHEMA_URI, ruled.attributes);
  const fields = listNamed(request, ruled.changed);
  const takes = admins.removes || takesFromGroup(request, attributes);
  if (takes) await assertGroupMayLose(tx, rules.protection, row);
  const written = { ...context, ...request, fields, state, attributes };
  const cells = toCellsAfterGroupWrite({ ...written, cells: ruled.cells });
  const parts = { attributes, cells, version, now, members, admins };
  const changed = toChangedRow(request, parts);
  if (!isNew && isSame(request, changed.row, attributes) && countWrites(parts) === 0) {
    return {
      type: 'group',
      id: row.id,
      undo: undefined,
      ...(await follow(tx, rules, {
        request,
        changed: await confirmWanted(row, (columns) => updateGroup(tx, row.id, columns)),
        parts,
      })),
    };
  }
  const start =
    changed.isDue && !hasRules(rules) ? await begin(tx, request, changed.row, parts) : undefined;
  const stored = { ...changed.row, ...start?.step.columns };
  await saveGroupChange(tx, request, { ...parts, changed: stored });
  return {
    type: 'group',
    id: row.id,
    start,
    ...(await follow(tx, rules, { request, changed: stored, parts })),
    undo: changed.isDue
      ? {
          type: 'group',
          before: toBefore(request, state.cells),
          after: changed.row.attributes,
          members: members.befores,
          admins: admins.befores,
          removes: members.removes || admins.removes,
        }
      : undefined,
  };
}

/** Fields that a write and its rules name. The lists of a group that is gone cannot be written without its name. */
function listNamed(
  { row, fields, members, admins }: GroupChangeRequest,
  ruled: readonly GroupField[],
): GroupField[] {
  const isListed = isGone(toObservedGroup(row)) && members.length + admins.length > 0;
  return [...fields, ...ruled, ...(isListed ? (['displayName'] as const) : [])];
}

function begin(
  tx: Db,
  request: GroupChangeRequest,
  row: GroupRow,
  parts: ChangedParts,
): Promise<HeadStart | undefined> | undefined {
  const links = listBegun(request, parts);
  return links && request.begin?.(tx, { type: 'group', row, links });
}

/** The changes of members that can begin at once; undefined: something else waits for the group, or one of them has to. */
function listBegun(
  { row, isNew, named }: GroupChangeRequest,
  { members, admins }: ChangedParts,
): WaitingLinks | undefined {
  if (isNew || named === undefined || named.isWaiting) return undefined;
  if (!isAtRest(row) || admins.writes.length > 0) return undefined;
  const waiting = members.writes.filter(({ pending }) => pending !== null);
  const changes = waiting.flatMap(({ userId, desired, pending }): LinkChange[] => {
    const { isLive, isActive, account } = named.users.get(userId) ?? {};
    if (!isLive || !isActive || account === null || account === undefined) return [];
    return [
      { userId, upstreamUserId: account, wanted: desired === 1, version: pending ?? row.version },
    ];
  });
  if (changes.length < waiting.length) return undefined;
  // Removals first, like everywhere.
  return { members: changes.sort((a, b) => Number(a.wanted) - Number(b.wanted)), admins: [] };
}

function takesFromGroup(request: GroupChangeRequest, attributes: JsonObject): boolean {
  const { row, before, fields, isNew } = request;
  const change = {
    before: isNew ? undefined : toDesiredGroup(before),
    after: toDesiredGroup(attributes),
    observed: toObservedGroup(row),
    isInService: hasUpstreamIds(row),
    fields,
  };
  return listTakenFromGroup(change).length > 0;
}

/** Before a create there was a deleted group of this name, or none. */
function toBefore(
  { row, before: attributes, origin, isNew }: GroupChangeRequest,
  cells: Cells<GroupField>,
): GroupUndo['before'] {
  const adminsAsked = row.admins_asked;
  if (!isNew) return { attributes, cells, origin, deleted: false, adminsAsked };
  return origin === 'adopted' ? { attributes, cells: {}, origin, deleted: true } : undefined;
}

function isSame(
  { row, before }: GroupChangeRequest,
  changed: GroupRow,
  attributes: JsonObject,
): boolean {
  const isUnasked =
    changed.admins_asked === row.admins_asked && isSameWork(parseCells(changed), parseCells(row));
  return isUnasked && isDeepStrictEqual(before, attributes);
}

function countWrites({ members, admins }: ChangedParts): number {
  return members.writes.length + admins.writes.length;
}

async function saveGroupChange(
  tx: Db,
  { row }: GroupChangeRequest,
  { members, admins, now, changed }: ChangedParts & { changed: GroupRow },
): Promise<void> {
  await saveLinks(tx, 'memberships', row.id, members.writes);
  await saveLinks(tx, 'group_admins', row.id, admins.writes);
  await updateGroup(tx, row.id, toChangedColumns(row, changed));
  // Users show the names of their groups, so another name touches every member.
  if (changed.display_name === row.display_name) {
    await touchUsers(tx, [...members.befores.keys()], now);
  } else await touchMembers(tx, row.id, now);
}

/** Applies the rules that follow from the group, in the same transaction. */
async function follow(
  tx: Db,
  rules: Rules,
  {
    request,
    changed,
    parts,
  }: { request: GroupChangeRequest; changed: GroupRow; parts: ChangedParts },
): Promise<Pick<GroupWriteResult, 'row' | 'notifies'>> {
  const { row, origin, isNew } = request;
  const isGivenBack = changed.admins_asked < row.admins_asked || emptiesAdmins(request);
  const news = {
    id: row.id,
    before: isNew || origin === null ? undefined : row.display_name,
    after: toRuledName(changed),
    users: [...parts.members.befores.keys()],
    ...(isGivenBack ? { admins: 'given back' as const } : {}),
  };
  const { notifies, changedItself } = await followGroup(tx, rules, news, parts.now);
  return { row: changedItself ? await getGroupRow(tx, row.id) : changed, notifies };
}

interface ChangedParts {
  readonly attributes: JsonObject;
  readonly cells: Cells<GroupField>;
  readonly version: number;
  readonly now: number;
  readonly members: LinkEdits;
  readonly admins: LinkEdits;
}

function toChangedRow(
  request: GroupChangeRequest,
  { attributes, cells, version, now, members, admins }: ChangedParts,
): { row: GroupRow; isDue: boolean } {
  const { row } = request;
  const waits = (edits: LinkEdits) => edits.writes.some((write) => write.pending !== null);
  const isDue = listWaiting(cells).length > 0 || waits(members) || waits(admins);
  return {
    isDue,
    row: {
      ...row,
      ...toGroupColumns(attributes),
      cells: JSON.stringify(cells),
      admins_asked: toAdminsAsked(request, admins),
      // One that is gone is looked for, and made anew.
      must_look: isDue && isGone(toObservedGroup(row)) ? Math.max(row.must_look, 1) : row.must_look,
      version,
      write_id: newId(),
      modified_at: Math.max(now, row.modified_at),
      due_at: isDue ? now : row.due_at,
      // A removal that waits already keeps its class.
      due_class: toDueClass(members.removes || admins.removes || row.due_class === 0),
    },
  };
}

/**
 * 1 when the provider owns the list of admins: it owns the list once it changes it, and gives it back by emptying it.
 * A list that is sent as it was shown changes nothing. @see RFC 7643 §2.5 (empty means unassigned)
 */
function toAdminsAsked(request: GroupChangeRequest, { writes, befores }: LinkEdits): number {
  if (emptiesAdmins(request)) return 0;
  const isChanged = writes.some(({ userId, desired }) => {
    const before = befores.get(userId);
    return ((before?.desired ?? before?.observed) === 1) !== (desired === 1);
  });
  return isChanged ? 1 : request.row.admins_asked;
}

function emptiesAdmins({ admins }: GroupChangeRequest): boolean {
  const last = admins.at(-1);
  return last?.op === 'replace' && last.ids.length === 0;
}

async function assertUsersExist(
  tx: Db,
  list: UserList,
  { [list]: edits, placeOf }: GroupChangeRequest,
  named?: NamedUsers,
): Promise<void> {
  const ids = [...new Set(edits.flatMap(({ op, ids: some }) => (op === 'remove' ? [] : some)))];
  if (ids.length === 0) return;
  const existing = named === undefined ? await listExistingUsers(tx, ids) : undefined;
  const exists = (id: UserId) => existing?.has(id) ?? named?.users.get(id)?.isLive === true;
  const [first, ...others] = ids.filter((id) => !exists(id));
  if (first === undefined) return;
  const place = placeOf(list, first) ?? `A value of ${list}`;
  const verb = others.length === 1 ? 'is' : 'are';
  const more = others.length === 0 ? '' : `, nor ${verb} ${others.length} more`;
  throw invalidValue(`${place} is not the id of a User${more}.`);
}

/** The ids of a request as the bridge's own, also where they are of an earlier server. `storeGroupChange` refuses unknown ones. */
export function toUserIds(
  { formerIds }: Pick<ScimDeps, 'formerIds'>,
  ids: readonly string[],
): UserId[] {
  return ids.map((id) => userId(formerIds.toOwn('user', id)));
}
