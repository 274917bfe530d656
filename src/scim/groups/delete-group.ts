import type { GroupField } from '../../domain/group.ts';
import { groupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { adoptLinks, deleteAllLinks, releaseLinks } from '../../store/links/observations.ts';
import { listLinkedUsers, touchUsers } from '../../store/links/shown.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { assertPreconditions, type Preconditions } from '../http/etag.ts';
import { assertAdoptsOnDelete, toTombstone } from '../writes/tombstone.ts';
import type { GroupWriteResult } from '../writes/write-result.ts';
import { assertGroupAdoptable, type ChangedGroup } from './change-group.ts';
import { assertDemotesNobody, assertGroupMayLose } from './protect-group.ts';

/** A DELETE of one group. */
export interface GroupDeletion {
  readonly id: string;
  readonly preconditions: Preconditions;
}

/**
 * Deletes a group: gone from every answer at once. A group that the bridge created is removed from the
 * service; from an adopted one the bridge takes out its own members and admins, and releases it.
 * @throws ScimError 404, 412, 403 (privileged, or not to be adopted)
 */
export async function storeGroupDeletion(
  tx: Db,
  deps: ScimDeps,
  { id, preconditions }: GroupDeletion,
): Promise<ChangedGroup> {
  await enterRules(tx, deps.rules, 'names');
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined || row.deleted_at !== null) throw notFound('Group');
  assertPreconditions(preconditions, row.version);
  if (row.origin === null) {
    assertAdoptsOnDelete(deps.policy.adoptGroupsOnDelete, 'GROUPS_ADOPT_ON_DELETE');
    if (row.admins_read_at === null) return { kind: 'must-read-admins', row };
    await assertGroupAdoptable(tx, deps, row);
    await adoptLinks(tx, row.id);
  }
  await assertGroupMayLose(tx, deps.rules.protection, row);
  await assertDemotesNobody(tx, deps, row);
  const now = deps.clock.now();
  const version = row.version + 1;
  const users = await listLinkedUsers(tx, row.id);
  const removed = row.origin === 'created';
  if (!removed) await releaseLinks(tx, row.id, version);
  const pending: Pending<GroupField> = removed && mayBeThere(row) ? { existence: version } : {};
  const isDue = Object.keys(pending).length > 0 || !removed;
  const change = toTombstone(row, { pending, isDue, now });
  await updateGroup(tx, row.id, change);
  await touchUsers(tx, users, now);
  const news = { id: row.id, before: toRuledName(row), after: undefined, users };
  const { notifies } = await followGroup(tx, deps.rules, news, now);
  if (!isDue) await deleteAllLinks(tx, row.id);
  return {
    type: 'group',
    id: row.id,
    notifies,
    row: { ...row, ...change },
    undo: isDue ? toUndo(row) : undefined,
  };
}

/** True when the service may hold the group; one whose creation was never sent needs no removal. */
function mayBeThere(row: GroupRow): boolean {
  return hasUpstreamIds(row) || row.must_look !== 0 || isInFlight(row);
}

function toUndo(row: GroupRow): GroupWriteResult['undo'] {
  return {
    type: 'group',
    before: {
      attributes: parseStored<JsonObject>(row.attributes),
      pending: parseStored<Pending<GroupField>>(row.pending),
      given: row.given,
      adminsAsked: row.admins_asked,
      origin: row.origin,
      deleted: false,
    },
    after: row.attributes,
    members: new Map(),
    admins: new Map(),
  };
}
