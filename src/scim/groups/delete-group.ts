import { toCellsAfterGroupDeletion } from '../../domain/group-write.ts';
import type { JsonObject } from '../../domain/json.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { parseCells, parseStored, toTombstone } from '../../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds, updateGroup } from '../../store/groups/groups.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { adoptLinks, deleteAllLinks, releaseLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import { NO_LINKS_WRITTEN } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { assertAdoptsOnDelete, assertGroupWithinLimits } from '../writes/wall.ts';
import type { GroupWriteResult, WriteTarget } from '../writes/write-result.ts';
import { assertGroupAdoptable, lockOwnGroup } from './change-group.ts';
import { assertDemotesNobody, assertGroupMayLose } from './protect-group.ts';

/**
 * Deletes a group: gone from every answer at once. A group that the bridge created is removed from the
 * service; from an adopted one the bridge takes out its own members and admins, and releases it.
 * @throws ScimError 404, 412, 403 (privileged, beyond the wall, or not to be adopted)
 * @throws PrivilegeUnknown
 */
export async function storeGroupDeletion(
  tx: Db,
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<GroupWriteResult> {
  await enterRules(tx, deps.rules, 'names');
  const row = await lockOwnGroup(tx, deps, target);
  const asked = { row, attributes: undefined, members: [], admins: [] };
  await assertGroupWithinLimits(tx, deps, asked);
  if (row.origin === null) {
    assertAdoptsOnDelete(deps.policy.adoptGroupsOnDelete, 'GROUPS_ADOPT_ON_DELETE');
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
  const isThere = mayBeThere(row);
  const isDue = isThere || !removed;
  const tombstone = toTombstone(row, { isDue, now, provider: deps.provider });
  const deletion = { isOwn: removed, mayBeThere: isThere, version };
  const cells = toCellsAfterGroupDeletion(parseCells(row), deletion);
  const change = { ...tombstone, cells: JSON.stringify(cells) };
  await updateGroup(tx, row.id, change);
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
    ...NO_LINKS_WRITTEN,
    before: {
      attributes: parseStored<JsonObject>(row.attributes),
      cells: parseCells(row),
      adminsAsked: row.admins_asked,
      origin: row.origin,
      deleted: false,
    },
    after: row.attributes,
    removes: false,
  };
}
