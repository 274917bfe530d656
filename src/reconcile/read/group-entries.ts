import { setImmediate as nextTurn } from 'node:timers/promises';
import { ask, edit } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import { foldCase } from '../../domain/fold.ts';
import {
  type GroupField,
  isAnotherGroup,
  type ObservedGroup,
  withCreated,
} from '../../domain/group.ts';
import { groupId, newId } from '../../domain/ids.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { hasWaiting, parseCells, toDueClass, toGroupColumns } from '../../store/engine/columns.ts';
import { agreesWithLinks, observeLinks, type SeenLinks } from '../../store/links/links.ts';
import { type GroupRow, LIVE_MANAGED, listRows, updateRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { groups as restGroups } from '../../upstream/operations/people.ts';
import { scim as scimOperations } from '../../upstream/operations/scim.ts';
import { toInteger } from '../../upstream/shapes/reader.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { toUnmanagedGroupAttributes } from '../group/observe.ts';
import type { GroupScimId } from '../quirks.ts';
import type { Entry, EntryKind, Listed } from './store-entries.ts';

/** A group as the two interfaces show it; undefined: that one does not. */
export interface GroupEntry extends Entry {
  readonly scim: ScimGroup | undefined;
  readonly rest: RestGroup | undefined;
}

/** Makes an entry of a group of both lists, of which SCIM's was asked for at `sentAt` (epoch milliseconds). */
export function toGroupEntry(
  scim: ScimGroup | undefined,
  rest: RestGroup | undefined,
  { form, sentAt }: { readonly form: GroupScimId | undefined; readonly sentAt: number },
): GroupEntry {
  const restId = form === 'restId' && scim ? toInteger(scim.id) : undefined;
  return {
    ids: {
      upstream_scim_id: scim?.id,
      upstream_id: rest?.id ?? restId,
      upstream_uid: rest?.uid ?? (form === 'uid' ? scim?.id : undefined),
    },
    shownIds: {
      ...(scim && { upstream_scim_id: scim.id }),
      ...(rest && { upstream_id: rest.id, upstream_uid: rest.uid }),
    },
    lists: [...(scim ? (['groups'] as const) : []), ...(rest ? (['restGroups'] as const) : [])],
    sentAt,
    scim,
    rest,
  };
}

/**
 * Merges the entry of a group. The name comes from SCIM where SCIM shows the group, or once did; permissions and the flag
 * come from REST.
 */
function observe(
  { scim, rest }: GroupEntry,
  before: ObservedGroup | undefined,
  now: number,
): ObservedGroup {
  const by = restGroups.getListOfGroups.id;
  const { permissions, addToCardsAndSpacesEnabled: isAddable } = rest ?? {};
  const isOfRest = before === undefined || before.by === by;
  return {
    ...(isOfRest ? { displayName: rest?.name ?? '', by } : before),
    ...(scim && { displayName: scim.displayName, shownAt: now, by: scimOperations.getGroups.id }),
    ...(permissions !== undefined && { permissions }),
    ...(isAddable !== undefined && { addToCardsAndSpacesEnabled: isAddable }),
    ...withCreated(before, rest?.created),
    ...(rest && { listedAt: now }),
    at: now,
  };
}

function toColumns(observed: ObservedGroup) {
  const shown = toGroupColumns(toUnmanagedGroupAttributes(observed));
  return { seen: { observed: JSON.stringify(observed) }, shown };
}

/** Groups of the lists. */
export const groupEntries: EntryKind<'group', GroupEntry> = {
  type: 'group',
  compared: 50,
  saved: 10,
  rank: ({ origin, deleted_at }) => (deleted_at === null ? 0 : 2) + (origin === null ? 1 : 0),
  observe: (entry, row, now) => observe(entry, row && toObservedGroup(row), now),
  toColumns,
  toNewRow(entry, now) {
    const { seen, shown } = toColumns(observe(entry, undefined, now));
    const times = { created_at: now, modified_at: now };
    return { ...entry.shownIds, ...seen, ...shown, ...times, type: 'group', id: groupId(newId()) };
  },
  async agrees(db, { entry, row }, { isFirst }) {
    const memberIds = entry.scim?.memberIds;
    if (memberIds === undefined) return true;
    // Many members take long to compare, and others go on meanwhile.
    await nextTurn();
    return agreesWithLinks(db, row, toSeenLinks(row, { memberIds, isFirst, from: 'list' }));
  },
  /** A list shows them under another id, or another group under theirs: the service gave ids anew. */
  async listMoved(tx, _reading, known, added) {
    const others = known.flatMap(({ entry, row }) => {
      if (row.origin === null) return [];
      const before = toObservedGroup(row);
      const { displayName } = observe(entry, before, 0);
      const isAnother = isAnotherGroup(before, { displayName, created: entry.rest?.created });
      return isAnother ? [row] : [];
    });
    const shown = new Map(
      added.map(([{ rest }]) => [foldCase(rest?.name ?? ''), rest?.created] as const),
    );
    const named = { name_folded: [...shown.keys()], ...LIVE_MANAGED };
    const elsewhere = (await listRows(tx, 'group', named, { order: 'seq', lock: true })).filter(
      (row) => {
        const { created = '' } = toObservedGroup(row) ?? {};
        return created !== '' && created === shown.get(row.name_folded);
      },
    );
    return [...others, ...elsewhere];
  },
  listNames: ({ name_folded }) => [name_folded],
  removeAgain,
  async finish(tx, { deps: { clock }, reading: { isFirst } }, saved, inserted) {
    const now = clock.now();
    for (const { entry, row } of saved) {
      const memberIds = entry.scim?.memberIds;
      if (memberIds) await saveMembers(tx, row, { memberIds, now, isFirst, from: 'list' });
    }
    for (const { entry, row } of inserted) {
      const upstreamUserIds = entry.scim?.memberIds ?? [];
      if (upstreamUserIds.length === 0) continue;
      await observeLinks(tx, row, { list: 'member', upstreamUserIds, baseline: null });
    }
  },
};

/**
 * Lets the removal of a group wait again, with one failed attempt, where the bridge removed it and a list that was asked
 * for after the answer shows it: then the service did not make the change.
 */
async function removeAgain(
  tx: Db,
  { entry, row }: Listed<'group', GroupEntry>,
  now: number,
): Promise<void> {
  const isReleased = row.origin !== 'created' || row.observed !== null;
  const isUnderWay = hasWaiting(row) || row.due_at !== null;
  if (isReleased || isUnderWay || row.modified_at >= entry.sentAt) return;
  const asked = ask(parseCells<GroupField>(row), ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const cells = edit(asked, ['existence'], (cell) => fail(cell, failing));
  const due = { due_at: now, due_class: toDueClass(true) };
  await updateRow(tx, row, { cells: JSON.stringify(cells), ...due });
}

interface SeenMembers {
  readonly memberIds: readonly number[];
  /** True while nothing was read before. */
  readonly isFirst: boolean;
  /** Source of the members: the list of all groups may cut long member lists short, the list of one group does not. */
  readonly from: 'list' | 'group';
}

/**
 * Stores the members that were seen in a group. Where they are shown and have changed, the ETag of the group changes.
 */
export async function saveMembers(
  tx: Db,
  row: GroupRow,
  seen: SeenMembers & { readonly now: number },
): Promise<void> {
  const links = toSeenLinks(row, seen);
  const moved = await observeLinks(tx, row, links);
  // A managed group shows its desired members, whatever is seen.
  if (moved === 0 || links.baseline === 0) return;
  await updateRow(tx, row, { version: row.version + 1, modified_at: seen.now });
}

/**
 * Members of a newly adopted group belong to it, also when they are read later. In a created group, and in a group that
 * was read before, a new member is not desired.
 */
function toSeenLinks(row: GroupRow, { memberIds, isFirst, from }: SeenMembers): SeenLinks {
  const { origin } = row;
  // A short list must not pass for a removal that a provider asks for.
  const isUnsure = !isFirst && from === 'list' && origin !== null;
  return {
    list: 'member',
    upstreamUserIds: memberIds,
    baseline: origin === null ? null : origin === 'adopted' && isFirst ? 1 : 0,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that follows shows it.
    mayBeOld: row.must_look !== 0,
  };
}
