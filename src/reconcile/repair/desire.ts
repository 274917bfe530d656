import { onlyWaiting } from '../../domain/cell.ts';
import type { ChangeKind } from '../../domain/change.ts';
import { acceptRoles, isEntityField, toRoleText } from '../../domain/entity.ts';
import {
  GROUP_EXTENSION,
  toExtension,
  USER_EXTENSION,
  withSchemas,
} from '../../domain/extensions.ts';
import type { GroupField } from '../../domain/group.ts';
import { userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { splitName } from '../../domain/name.ts';
import { toPlace } from '../../domain/plan.ts';
import { GROUP_SCHEMA_URI, USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { followGroup, followUser, toRuledName } from '../../rules/follow.ts';
import {
  parseCells,
  parseStored,
  toGroupColumns,
  toUserColumns,
} from '../../store/engine/columns.ts';
import { type GroupRow, listGroupsByName, updateGroup } from '../../store/groups/groups.ts';
import { desireLink } from '../../store/links/links.ts';
import { deleteAllLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import { isUserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { type UserRow, updateUser } from '../../store/users/users.ts';
import type { ProcessDeps } from '../deps.ts';
import type { Current } from './current.ts';

/** Value to be desired from now on, by an operator or the policy; the provider's next write of it wins. */
interface Desire {
  /** The change whose field or list the value belongs to. */
  readonly kind: ChangeKind;
  readonly memberId: string;
  readonly value: JsonValue;
}

/** Dependencies of a desire. */
type DesireDeps = Pick<ProcessDeps, 'clock' | 'rules'>;

/**
 * Makes a value the desired one, as another version that readers see. It is not pending: where the service does not
 * hold it yet, the caller makes it so. The caller has entered the rules (`enterRules`, `names`).
 * False when the resource is deleted, or another group has the name.
 */
export async function desire(
  tx: Db,
  deps: DesireDeps,
  current: Current,
  wanted: Desire,
): Promise<boolean> {
  if (current.row.deleted_at !== null) return false;
  const place = toPlace({ ...wanted, desired: wanted.value });
  if (place.kind === 'link') {
    await desireInList(tx, deps, current, { ...wanted, list: place.list });
    return true;
  }
  return isUserRow(current.row)
    ? desireOfUser(tx, deps, current.row, wanted)
    : desireOfGroup(tx, deps, current.row, wanted);
}

async function desireInList(
  tx: Db,
  { clock, rules }: DesireDeps,
  { row }: Current,
  { memberId, value, list }: Desire & { list: 'memberships' | 'group_admins' },
): Promise<void> {
  if (isUserRow(row)) return;
  const now = clock.now();
  const isWanted = isJsonObject(value) && value.present === true;
  const user = userId(memberId);
  await desireLink(tx, list, { groupId: row.id, userId: user, isWanted });
  await updateGroup(tx, row.id, { version: row.version + 1, modified_at: now });
  if (list === 'group_admins') return;
  const name = toRuledName(row);
  await followGroup(tx, rules, { id: row.id, before: name, after: name, users: [user] }, now);
}

async function desireOfUser(
  tx: Db,
  { clock, rules }: DesireDeps,
  row: UserRow,
  { kind, value }: Desire,
): Promise<boolean> {
  const now = clock.now();
  const attributes = parseStored<JsonObject>(row.attributes);
  const next = withSchemas(USER_SCHEMA_URI, {
    ...attributes,
    ...toUserChange(attributes, kind, value),
  });
  const version = row.version + 1;
  await updateUser(tx, row.id, { ...toUserColumns(next), version, modified_at: now });
  if (kind === 'user.access') await followUser(tx, rules, row.id, now);
  return true;
}

function toUserChange(attributes: JsonObject, kind: Desire['kind'], value: JsonValue): JsonObject {
  // The account is gone: a user that is to be inactive needs none.
  if (kind === 'user.create') return { active: false };
  if (!isJsonObject(value)) return {};
  if (kind === 'user.access') return toChangedExtension(attributes, USER_EXTENSION, value);
  if (typeof value.name !== 'string') return { active: value.active === true };
  return { name: { ...splitName(value.name), formatted: value.name } };
}

function toChangedExtension(attributes: JsonObject, urn: string, change: JsonObject): JsonObject {
  return { [urn]: { ...toExtension(attributes, urn), ...change } };
}

async function desireOfGroup(
  tx: Db,
  deps: DesireDeps,
  row: GroupRow,
  { kind, memberId, value }: Desire,
): Promise<boolean> {
  const now = deps.clock.now();
  if (kind === 'group.create') {
    await markGroupGone(tx, deps, row);
    return true;
  }
  if (!isJsonObject(value)) return false;
  if (isEntityField(memberId)) {
    const cells = acceptRoles<GroupField>(
      parseCells(row),
      memberId,
      toRoleText(toTexts(value.roles)),
    );
    const changed = { cells: JSON.stringify(cells), version: row.version + 1, modified_at: now };
    await updateGroup(tx, row.id, changed);
    return true;
  }
  const attributes = parseStored<JsonObject>(row.attributes);
  const change =
    kind === 'group.rename' ? value : toChangedExtension(attributes, GROUP_EXTENSION, value);
  const columns = toGroupColumns(withSchemas(GROUP_SCHEMA_URI, { ...attributes, ...change }));
  const named = await listGroupsByName(tx, columns.display_name_folded);
  if (named.some(({ id, origin }) => id !== row.id && origin !== null)) return false;
  const changed = { ...columns, version: row.version + 1, modified_at: now };
  await updateGroup(tx, row.id, changed);
  if (kind !== 'group.rename') return true;
  const [before, after] = [toRuledName(row), toRuledName({ ...row, ...changed })];
  await followGroup(tx, deps.rules, { id: row.id, before, after, users: [] }, now);
  return true;
}

function toTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Deletes a group that is gone and is not to come back. */
async function markGroupGone(tx: Db, { clock, rules }: DesireDeps, row: GroupRow): Promise<void> {
  const now = clock.now();
  const users = await listLinkedUsers(tx, row.id);
  await updateGroup(tx, row.id, {
    deleted_at: now,
    modified_at: now,
    version: row.version + 1,
    cells: JSON.stringify(onlyWaiting(parseCells(row), [])),
    entities: null,
    due_at: null,
    must_look: 0,
    observed: null,
    upstream_scim_id: null,
    upstream_rest_id: null,
    upstream_uid: null,
  });
  await followGroup(
    tx,
    rules,
    { id: row.id, before: toRuledName(row), after: undefined, users },
    now,
  );
  await deleteAllLinks(tx, row.id);
}
