import { toCellsAfterGroupDeletion } from '../../domain/group-write.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { adoptLink, type LinkList, releaseLink } from '../../domain/link.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { parseCells, parseStored, toTombstone } from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { changeLinks, deleteAllLinks, listLinkedUsers } from '../../store/links/links.ts';
import { type GroupRow, updateRow } from '../../store/resources/rows.ts';
import { isLinked } from '../../store/resources/state.ts';
import { findView, type ResourceView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { listStepNames, type PatchStep } from '../dialect/parse-path.ts';
import { findSentPlace, findStepPlace, parseResource } from '../dialect/parse-resource.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import type { ScimKind } from '../resource-handlers.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { renderFew } from '../search/render-groups.ts';
import { assertAdoptable } from '../writes/adoption.ts';
import { storeKnowing, understand, understandWhole } from '../writes/read-privilege.ts';
import { assertAdoptsOnDelete, assertGroupWithinLimits, lockOwn } from '../writes/wall.ts';
import type { GroupWriteResult, WriteTarget } from '../writes/write-result.ts';
import { type GroupChangeCall, storeGroup } from './change-group.ts';
import { adoptableGroups, keepExtension, storeNewGroup } from './create-group.ts';
import { type LinkEdit, toUserIds } from './edit-links.ts';
import { toListEdits } from './edit-lists.ts';
import { assertDemotesNobody, assertGroupMayLose } from './protect-group.ts';

/**
 * Groups, as one type of resource. A group may have 50,000 members, so a PATCH answers without them, and a PUT that leaves
 * them out leaves them in.
 */
export const groupKind: ScimKind<GroupWriteResult, ResourceView<GroupId>> = {
  type: 'group',
  schema: groupSchema,
  patchStatus: 204,
  async create(deps, sent) {
    const input = understandWhole(sent, parseResource(sent.body, groupSchema, sent.repairs));
    return storeKnowing(deps, { look: 'change' }, (tx) => storeNewGroup(tx, deps, { input }));
  },
  async replace(deps, target, sent) {
    const { repairs } = sent;
    const input = understand(sent, parseResource(sent.body, groupSchema, repairs));
    const change: GroupChangeCall['change'] = async (_tx, _row, before) => ({
      attributes: keepExtension(before, input),
      names: input.mentioned,
      edits: [
        ...toReplacement(deps, 'member', input.members),
        ...toReplacement(deps, 'admin', input.admins),
      ],
      placeOf: (list, id) => findSentPlace(list, input.sent.get(list), id),
    });
    return storeKnowing(deps, { look: 'change', repairs }, (tx) =>
      storeGroup(tx, deps, { ...target, change, repairs }),
    );
  },
  async patch(deps, target, sent) {
    const { body, repairs } = sent;
    const steps = understand(sent, parsePatch(body, { schema: groupSchema, repairs }));
    const change: GroupChangeCall['change'] = async (tx, row, before) => ({
      attributes: applyPatch(before, steps, repairs),
      names: listStepNames(steps),
      edits: await toListEdits(tx, deps, { row, steps }),
      placeOf: (list, id) => findStepPlace(steps, list, id),
    });
    const look = steps.some(mayRemove) ? 'remove' : 'change';
    return storeKnowing(deps, { look, repairs }, (tx) =>
      storeGroup(tx, deps, { ...target, change, repairs }),
    );
  },
  remove: (deps, target) =>
    storeKnowing(deps, { look: 'remove' }, (tx) => storeGroupDeletion(tx, deps, target)),
  findView: (db, id) => findView(db, 'group', id),
  toView: async (_db, { row }) => row,
  async render(deps, view, projection) {
    const [text] = await renderFew(deps, [view], projection);
    return text ?? '';
  },
};

function mayRemove(step: PatchStep): boolean {
  return step.kind === 'users-where' || (step.kind === 'users' && step.op !== 'add');
}

/** A PUT with a list replaces it, `[]` empties it, and without the list its users stay. */
function toReplacement(
  deps: ScimDeps,
  list: LinkList,
  users: readonly string[] | undefined,
): LinkEdit[] {
  return users === undefined ? [] : [{ list, op: 'replace', ids: toUserIds(deps, users) }];
}

/**
 * Deletes a group: gone from every answer at once. A group that the bridge created is removed from the
 * service; from an adopted one the bridge takes out its own members and admins, and releases it.
 * @throws ScimError 404, 412, 403 (privileged, beyond the wall, or not to be adopted)
 * @throws PrivilegeUnknown
 */
async function storeGroupDeletion(
  tx: Db,
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<GroupWriteResult> {
  await enterRules(tx, deps.rules, 'names');
  const row = await lockOwn(tx, deps, 'group', target);
  const asked = { row, attributes: undefined, edits: [] };
  await assertGroupWithinLimits(tx, deps, asked);
  if (row.origin === null) {
    assertAdoptsOnDelete(deps.policy.adoptGroupsOnDelete, 'GROUPS_ADOPT_ON_DELETE');
    await assertAdoptable(tx, deps, { kind: adoptableGroups, row });
    await changeLinks(tx, row, {}, adoptLink);
  }
  await assertGroupMayLose(tx, deps.rules.protection, row);
  await assertDemotesNobody(tx, deps, row);
  const now = deps.clock.now();
  const version = row.version + 1;
  const users = await listLinkedUsers(tx, row);
  const removed = row.origin === 'created';
  if (!removed) await changeLinks(tx, row, {}, (link) => releaseLink(link, version));
  const isThere = mayBeThere(row);
  const isDue = isThere || !removed;
  const tombstone = toTombstone(row, { isDue, now, provider: deps.provider });
  const deletion = { isOwn: removed, mayBeThere: isThere, version };
  const cells = toCellsAfterGroupDeletion(parseCells(row), deletion);
  const change = { ...tombstone, cells: JSON.stringify(cells) };
  await updateRow(tx, row, change);
  const news = { id: row.id, before: toRuledName(row), after: undefined, users };
  const { notifies } = await followGroup(tx, deps.rules, news, now);
  if (!isDue) await deleteAllLinks(tx, row);
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
  return isLinked(row) || row.must_look !== 0 || isInFlight(row);
}

function toUndo(row: GroupRow): GroupWriteResult['undo'] {
  return {
    before: {
      attributes: parseStored<JsonObject>(row.attributes),
      cells: parseCells(row),
      adminsAsked: row.admins_asked,
      origin: row.origin,
      deleted: false,
    },
    after: row.attributes,
    links: [],
    removes: false,
  };
}
