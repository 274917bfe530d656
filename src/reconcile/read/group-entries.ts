import { ask, edit } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import {
  type GroupField,
  isAnotherGroup,
  type ObservedGroup,
  withCreated,
} from '../../domain/kinds.ts';
import { groupId, NOT_APPLIED, newId } from '../../domain/values.ts';
import { hasWaiting, parseCells, toDueClass, toGroupColumns } from '../../store/engine/columns.ts';
import { LIVE_MANAGED, listRows, updateRow } from '../../store/resources/rows.ts';
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

/** A group as the two interfaces show it; absent: that one does not. */
interface ShownGroup {
  readonly scim?: ScimGroup | undefined;
  readonly rest?: RestGroup | undefined;
}

/** Makes an entry of a group of both lists, of which SCIM's was asked for at `sentAt` (epoch milliseconds). */
export function toGroupEntry(
  shown: ShownGroup,
  { form, sentAt }: { readonly form: GroupScimId | undefined; readonly sentAt: number },
): Entry<'group'> {
  const { scim, rest } = shown;
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
    memberIds: scim?.memberIds,
    observe: (row, now) => observe(shown, row && toObservedGroup(row), now),
    isAnother(row) {
      const before = toObservedGroup(row);
      const { displayName } = observe(shown, before, 0);
      return isAnotherGroup(before, { displayName, created: rest?.created });
    },
  };
}

/** The name comes from SCIM where SCIM shows the group, or once did; permissions and the flag come from REST. */
function observe(
  { scim, rest }: ShownGroup,
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

/** Groups of the lists. */
export const groupEntries: EntryKind<'group'> = {
  type: 'group',
  compared: 50,
  saved: 10,
  newId: () => groupId(newId()),
  rank: ({ origin, deleted_at }) => (deleted_at === null ? 0 : 2) + (origin === null ? 1 : 0),
  toSeenColumns: (observed) => ({ observed: JSON.stringify(observed) }),
  toShownColumns: (observed) => toGroupColumns(toUnmanagedGroupAttributes(observed)),
  async listElsewhere(tx, added) {
    const created = new Map(
      added.map(({ entry, row }) => [row.name_folded, entry.observe(undefined, 0).created]),
    );
    const named = { name_folded: [...created.keys()], ...LIVE_MANAGED };
    const namesakes = await listRows(tx, 'group', named, { order: 'seq', lock: true });
    return namesakes.filter((row) => {
      const before = toObservedGroup(row)?.created;
      return before && before === created.get(row.name_folded);
    });
  },
  listNames: ({ name_folded }) => [name_folded],
  removeAgain,
};

/** A group that was removed and is in a later list was not: its removal waits again, with one failed attempt. */
async function removeAgain(tx: Db, { entry, row }: Listed<'group'>, now: number): Promise<void> {
  const isReleased = row.origin !== 'created' || row.observed !== null;
  const isUnderWay = hasWaiting(row) || row.due_at !== null;
  if (isReleased || isUnderWay || row.modified_at >= entry.sentAt) return;
  const asked = ask(parseCells<GroupField>(row), ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const cells = edit(asked, ['existence'], (cell) => fail(cell, failing));
  const due = { due_at: now, due_class: toDueClass(true) };
  await updateRow(tx, row, { cells: JSON.stringify(cells), ...due });
}
