import {
  ask,
  askOnly,
  type Cells,
  done,
  forgetSent,
  listSent,
  listWaiting,
  onlyWaiting,
  withEcho,
} from '../../domain/cell.ts';
import {
  isEntityField,
  listEntityFields,
  listWantedEntities,
  restartEntities,
  seeEntities,
} from '../../domain/entity.ts';
import {
  type GroupField,
  isAnotherGroup,
  listGroupDifferences,
  type ObservedGroup,
  toDesiredGroup,
  type UpstreamGroupIds,
  withCreated,
} from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { endChange, restartLink } from '../../domain/link.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { noteMissing } from '../../store/drifts.ts';
import { addInspection } from '../../store/due.ts';
import { hasWaiting, parseCells, parseStored } from '../../store/engine/columns.ts';
import { changeLinks, changeNamed, deleteAllLinks, hasLink } from '../../store/links/links.ts';
import { observeLinks } from '../../store/links/observe.ts';
import { moveGroupLinks } from '../../store/links/of-users.ts';
import { findGroupByUpstream } from '../../store/resources/find.ts';
import {
  deleteRow,
  findRow,
  type GroupRow,
  lockRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { isLinked, NO_IDS, toObservedGroup } from '../../store/resources/state.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import type { Known } from '../outcome.ts';
import { type Link, refuseToLink } from './record-user.ts';
import { type Recording, toSuccessColumns } from './recording.ts';

/**
 * Links the row to the group that a step found or created. A row that only observed the group is merged into it; a
 * managed one, or a group with permissions, is refused.
 */
export async function linkGroup(r: Recording, row: GroupRow, known: Known): Promise<Link> {
  const { ids } = known;
  if (ids === undefined) return { kind: 'linked', columns: {} };
  const obstacle = await clearHolder(r, row, { ids, group: known.group });
  if (obstacle !== undefined) return obstacle;
  if (known.adopted && (known.group?.permissions ?? 0) > 0) {
    return refuseToLink(
      'a group of this name exists in the service, holds permissions, and is not taken over',
    );
  }
  const isMoved =
    ids.uid !== undefined && row.upstream_uid !== null && ids.uid !== row.upstream_uid;
  const before = isMoved ? NO_IDS : row;
  return {
    kind: 'linked',
    columns: {
      upstream_scim_id: ids.scimId ?? before.upstream_scim_id,
      upstream_id: ids.restId ?? before.upstream_id,
      upstream_uid: ids.uid ?? before.upstream_uid,
      origin: known.adopted ? 'adopted' : (row.origin ?? 'created'),
      sent_creates: '[]',
    },
  };
}

/**
 * Takes the group from a row that only observed it, and from one that had its id before the service gave ids anew, which
 * looks for its own; returns the obstacle, if any.
 */
async function clearHolder(
  { tx, now }: Recording,
  row: GroupRow,
  { ids, group }: { ids: Partial<UpstreamGroupIds>; group: ObservedGroup | undefined },
): Promise<Link | undefined> {
  const found = await findGroupByUpstream(tx, ids);
  // Locked, because a request may be taking it over.
  const holder = found && (await lockRow(tx, found));
  if (holder === undefined || holder.id === row.id) return undefined;
  if (holder.deleted_at !== null) {
    if (!hasWaiting(holder)) return undefined;
    const words = 'a group of this name is still being removed';
    return { kind: 'later', problem: { code: 'name-leaving', words } };
  }
  if (holder.origin !== null) {
    if (group === undefined || !isAnotherGroup(toObservedGroup(holder), group))
      return refuseToLink('the group in the service is linked to another group already');
    const cells = ask(parseCells<GroupField>(holder), ['existence'], holder.version);
    const columns = { ...toLookAgainColumns(holder, now), ...NO_IDS, cells: JSON.stringify(cells) };
    await updateRow(tx, holder, columns);
    return undefined;
  }
  await moveGroupLinks(tx, holder, row);
  await deleteRow(tx, holder);
  return undefined;
}

/** The row after a step that worked, with what was seen in the group and which changes of its lists hold now. */
export async function applyGroup(r: Recording, row: GroupRow, known: Known): Promise<GroupRow> {
  const { tx, step, isStale, now } = r;
  const { memberIds, adopted, entities } = known;
  const links = listLinks(known.done ?? []);
  // The result of a call may be undone by now: the look that is due tells.
  if (links.length > 0 && !isStale) {
    await changeNamed(tx, row, links, (link, made) => endChange(link, made, step.state.version));
  }
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    await observeLinks(tx, row, { upstreamUserIds: memberIds, baseline, list: 'member' });
  }
  const observed = toObserved(row, known, now);
  const left = toCellsAfter(r, row, known);
  const cells = entities === undefined ? left : seeEntities<GroupField>(left, entities);
  // While roles in an entity wait, a call may have changed them, so the entities are to be listed.
  const isDoubted = step.state.mustLook && listWaiting(cells).some(isEntityField);
  const listed = entities === undefined ? row.entities : JSON.stringify(entities);
  return {
    ...row,
    entities: isDoubted ? null : listed,
    observed: observed === undefined ? row.observed : JSON.stringify(observed),
    cells: JSON.stringify(cells),
  };
}

/** Cells of the group after a step of the group itself. */
function toCellsAfter(
  { step, isStale }: Recording,
  row: GroupRow,
  { done: made, echo, ids, group }: Known,
): Cells<GroupField> {
  const cells = parseCells<GroupField>(row);
  const planned: Cells<string> = step.state.cells;
  const heard = echo === undefined ? cells : withEcho<GroupField>(cells, 'displayName', echo);
  // A look at a group that is to be removed finds it: its removal still waits.
  const held = listFields(made ?? []).filter(
    (field) => field !== 'existence' || row.deleted_at === null,
  );
  const ended = isStale ? heard : done<string>(heard, planned, held);
  // No other call than creates has left before the group is known.
  const left = ids === undefined || isLinked(row) ? ended : forgetSent(ended, listSent(ended));
  if (left === ended || group === undefined || row.deleted_at !== null) return left;
  // Every difference of a new group becomes pending; an old one has only its pending fields.
  const desired = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  const fields = [...listGroupDifferences(desired, group, heard), ...listEntityFields(heard)];
  const claim = cells.existence?.pending ?? planned.existence?.pending ?? row.version;
  return ask<GroupField>(left, fields, claim);
}

/**
 * Observation after a step. A call that changed members or admins shows that the group is there. A list that was asked for before the call ended
 * may still show those of before, so the time of the call stands beside the times of looks.
 */
function toObserved(
  row: GroupRow,
  { group, done: made = [], ids }: Known,
  now: number,
): ObservedGroup | undefined {
  const [link] = listLinks(made);
  const observed = toObservedGroup(row);
  if (group) return { ...group, ...withCreated(observed, group.created) };
  if (observed === undefined || link === undefined) return undefined;
  if (ids?.scimId !== undefined) {
    return { ...observed, shownAt: now, at: now, by: scim.updateGroup.id };
  }
  const isMember = link.list === 'member';
  const { id: by } = isMember ? groupUsers.addUserToGroup : groupAdmins.addAdminToGroup;
  return { ...observed, at: now, by };
}

/** Follows the rules after a step that took a write back or adopted the group. */
export async function followGroupStep(r: Recording): Promise<void> {
  const { tx, deps, outcome, original, undone, reverted: users, now } = r;
  const isAdopted = outcome.kind === 'done' && outcome.known.adopted === true;
  if (original.type === 'user' || (undone.length === 0 && !isAdopted)) return;
  const { id } = original;
  await enterRules(tx, deps.rules, 'names');
  const before = isAdopted ? undefined : toRuledName(original);
  const after = toRuledName(await findRow(tx, { type: 'group', id }));
  const news = { id, before, after, users, nested: 'all' } as const;
  const { notifies } = await followGroup(tx, deps.rules, news, now);
  if (notifies) r.notifies = true;
}

/**
 * Ends a group that the service does not have. A deleted group is done. A wanted one is created anew where something
 * waits for it; otherwise the next comparison reports it.
 */
export async function endGroup(r: Recording, row: GroupRow): Promise<GroupRow> {
  const { tx, now } = r;
  const success = toSuccessColumns(r);
  if (row.deleted_at !== null || row.origin === null) {
    await deleteAllLinks(tx, row);
    const cells = JSON.stringify(onlyWaiting(parseCells<GroupField>(row), []));
    // A list that was asked for before may still show it.
    const modified_at = Math.max(row.modified_at, now);
    return { ...row, ...success, observed: null, cells, modified_at };
  }
  if (!hasWaiting(row) && !(await hasLink(tx, row, 'waiting')) && row.observed !== null) {
    await addInspection(tx, { type: 'group', id: row.id }, { source: 'discovery', now });
    return { ...row, ...success };
  }
  const desired = { displayName: row.name };
  await noteMissing(tx, { type: 'group', id: row.id, desired }, now);
  await changeLinks(tx, row, {}, (link) => restartLink(link, row.version));
  const cells = restartEntities<GroupField>(parseCells(row));
  // A call for a group that is gone has no effect any more.
  const kept = forgetSent(cells, listSent(cells));
  return {
    ...row,
    ...success,
    observed: null,
    ...NO_IDS,
    entities: null,
    cells: JSON.stringify(askOnly(kept, ['existence', ...listWantedEntities(kept)], row.version)),
  };
}
