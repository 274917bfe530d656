import { isDeepStrictEqual } from 'node:util';
import type { GroupField } from '../../domain/group.ts';
import { toPendingAfterGroupWrite } from '../../domain/group-write.ts';
import { type GroupId, type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';
import type { GroupUndo } from '../../reconcile/group/undo.ts';
import { toChangedColumns } from '../../store/changed-columns.ts';
import { toGroupColumns } from '../../store/columns.ts';
import type { Db } from '../../store/database.ts';
import { toDueClass } from '../../store/due-class.ts';
import { type GroupRow, toGroupState, updateGroup } from '../../store/groups.ts';
import type { LaneClaim, Lease } from '../../store/lanes.ts';
import { listExistingUsers, saveLinks } from '../../store/links.ts';
import type { Origin } from '../../store/schema.ts';
import { touchMembers, touchUsers } from '../../store/shown-links.ts';
import type { ScimDeps } from '../deps.ts';
import { invalidValue } from '../errors.ts';
import { withSchemas } from '../schemas-of.ts';
import { toLane } from '../take-lane.ts';
import { isLaneHeld } from '../users/store-change.ts';
import { editLinks, type LinkEdit, type LinkEdits } from './edit-links.ts';

/** A stored write of a group, with what the wait for it needs. */
export interface GroupWriteResult {
  readonly id: GroupId;
  readonly row: GroupRow;
  readonly lease: Lease | undefined;
  readonly creates: boolean;
  /** Undefined: the service already holds what was written, so there is nothing to wait for. */
  readonly undo: GroupUndo | undefined;
}

/** One change of a group that exists. */
export interface GroupChangeRequest {
  readonly row: GroupRow;
  /** How the group was managed before the request. */
  readonly origin: Origin | null;
  /** The attributes of the row, as it was read or just inserted. */
  readonly before: JsonObject;
  /** All attributes as they are to be, without people. */
  readonly attributes: JsonObject;
  /** Owned fields that the request speaks of. */
  readonly fields: readonly GroupField[];
  readonly members: readonly LinkEdit[];
  readonly admins: readonly LinkEdit[];
  /** Protected people of a privileged group, who stay. */
  readonly keeps: (userId: UserId) => boolean;
  readonly claim: LaneClaim | undefined;
  /** The group was inserted in this transaction, so undoing the request removes it. */
  readonly isNew: boolean;
}

/**
 * Stores what a provider wants of a group, in the transaction that read the row. A write that changes
 * nothing stores nothing.
 * @throws ScimError 400 for somebody who is not a user
 */
export async function storeGroupChange(
  tx: Db,
  { clock }: ScimDeps,
  request: GroupChangeRequest,
): Promise<GroupWriteResult> {
  const { row, before, isNew } = request;
  const now = clock.now();
  const version = isNew ? row.version : row.version + 1;
  const context = {
    groupId: row.id,
    version,
    inFlight: isLaneHeld(row, now),
    keeps: request.keeps,
  };
  await assertUsersExist(tx, [...request.members, ...request.admins]);
  const members = await editLinks(tx, 'memberships', request.members, context);
  const admins = await editLinks(tx, 'group_admins', request.admins, context);
  const state = toGroupState(row, { members: [], admins: [] });
  const attributes = withSchemas(GROUP_SCHEMA_URI, request.attributes);
  const pending = toPendingAfterGroupWrite({ ...context, ...request, state, attributes });
  const pendingText = JSON.stringify(pending);
  const isSame = isDeepStrictEqual(before, attributes) && pendingText === row.pending;
  if (!isNew && isSame && members.writes.length + admins.writes.length === 0) {
    return { id: row.id, row, lease: undefined, creates: false, undo: undefined };
  }
  await saveLinks(tx, 'memberships', row.id, members.writes);
  await saveLinks(tx, 'group_admins', row.id, admins.writes);
  const changed = toChangedRow(request, { attributes, pending, version, now, members, admins });
  const { lease, isDue } = changed;
  const { id } = row;
  await updateGroup(tx, id, toChangedColumns(row, changed.row));
  // People show what their groups are called, so another name touches everybody.
  if (changed.row.display_name === row.display_name) {
    await touchUsers(tx, [...members.befores.keys()], now);
  } else await touchMembers(tx, id, now);
  return {
    id,
    row: changed.row,
    lease,
    creates: isNew || (pending.existence === version && state.pending.existence === undefined),
    undo: isDue
      ? {
          type: 'group',
          before: toBefore(request, state.pending),
          after: changed.row.attributes,
          members: members.befores,
          admins: admins.befores,
        }
      : undefined,
  };
}

/** A new row stands for a group that was let go before, or for one that nobody had. */
function toBefore(
  { before: attributes, origin, isNew }: GroupChangeRequest,
  pending: Pending<GroupField>,
): GroupUndo['before'] {
  if (!isNew) return { attributes, pending, origin, deleted: false };
  return origin === 'adopted' ? { attributes, pending: {}, origin, deleted: true } : undefined;
}

interface ChangedParts {
  readonly attributes: JsonObject;
  readonly pending: Pending<GroupField>;
  readonly version: number;
  readonly now: number;
  readonly members: LinkEdits;
  readonly admins: LinkEdits;
}

function toChangedRow(
  { row, claim }: GroupChangeRequest,
  { attributes, pending, version, now, members, admins }: ChangedParts,
): { row: GroupRow; lease: Lease | undefined; isDue: boolean } {
  const waits = (edits: LinkEdits) => edits.writes.some((write) => write.pending !== null);
  const isDue = Object.keys(pending).length > 0 || waits(members) || waits(admins);
  const { lane, lease } = toLane(row, isDue ? claim : undefined);
  return {
    lease,
    isDue,
    row: {
      ...row,
      ...toGroupColumns(attributes),
      ...lane,
      pending: JSON.stringify(pending),
      version,
      modified_at: now,
      due_at: isDue ? now : row.due_at,
      // A removal that waits already keeps its class, whatever this write adds.
      due_class: toDueClass(members.removes || admins.removes || row.due_class === 0),
      stuck_at: null,
    },
  };
}

async function assertUsersExist(tx: Db, edits: readonly LinkEdit[]): Promise<void> {
  const named = edits.filter(({ op }) => op !== 'remove').flatMap(({ ids }) => ids);
  if (named.length === 0) return;
  const ids = [...new Set(named)];
  const existing = await listExistingUsers(tx, ids);
  const unknown = ids.filter((id) => !existing.has(id)).length;
  if (unknown === 0) return;
  const words = unknown === 1 ? 'One of the people is' : `${unknown} of the people are`;
  throw invalidValue(`${words} not known: their value is not the id of a User.`);
}

/** Ids as a request names them. Unknown ones are found out by the store. */
export function toUserIds(ids: readonly string[]): UserId[] {
  return ids.map(userId);
}
