import { ask, edit } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import type { GroupField, ObservedGroup, ObservedUser, ShownAccount } from '../../domain/kinds.ts';
import { compareAccount, isAnotherGroup } from '../../domain/kinds.ts';
import { NOT_APPLIED } from '../../domain/values.ts';
import { hasWaiting, parseCells } from '../../store/engine/columns.ts';
import type { EntryIds } from '../../store/resources/find.ts';
import { listAccountNames, listNamed, listServiceNames } from '../../store/resources/find.ts';
import type { GroupRow, NewRow, ResourceRow, ResourceType } from '../../store/resources/rows.ts';
import { updateRow } from '../../store/resources/rows.ts';
import {
  toObservedGroup,
  toObservedUser as toStoredUser,
  toUserState,
} from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { scim as scimOperations } from '../../upstream/operations/scim.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import { toInteger } from '../../upstream/shapes/reader.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import { mergeGroup } from '../group/apply.ts';
import type { GroupScimId } from '../quirks.ts';
import { observeCompanyUser, toObservedUser } from '../user/observe.ts';
import type { ShowingList } from './reading.ts';

/** A user or group as lists show it. `row`: what is known of it. Times are epoch milliseconds. */
export interface Entry {
  readonly ids: EntryIds;
  /** Those of them that the lists themselves show; the others follow from what is known of ids. */
  readonly shownIds: Partial<Pick<ResourceRow, keyof EntryIds>>;
  /** The lists that show it, and when the first of them was asked for. */
  readonly lists: readonly ShowingList[];
  readonly sentAt: number;
  /** Accounts of the members of a group; absent: no list shows them. */
  readonly memberIds?: readonly number[] | undefined;
  /** Merges it into what was observed before. */
  observe(row: ResourceRow | undefined, now: number): ObservedUser | ObservedGroup;
  /** True where another one has the ids of the row by now: the service may give them anew. */
  isAnother(row: ResourceRow): boolean;
}

/** Makes an entry of the users that SCIM shows. */
export function toScimUserEntry(user: ScimUser, sentAt: number): Entry {
  const by = scimOperations.getUsers.id;
  return toUserEntry({ ...user, sentAt, list: 'users' }, (before, at) =>
    toObservedUser(user, before, { at, by }),
  );
}

/** Makes an entry of the company users. */
export function toCompanyUserEntry(user: CompanyUser, sentAt: number): Entry {
  const { id, username: userName, email } = user;
  const shown = { id, userName, emails: [email], sentAt, list: 'companyUsers' } as const;
  return toUserEntry(shown, (before, at) => observeCompanyUser(user, before, at));
}

function toUserEntry(
  shown: ShownAccount & Pick<Entry, 'sentAt'> & { id: number; list: ShowingList },
  merge: (before: ObservedUser | undefined, at: number) => ObservedUser,
): Entry {
  const ids = { upstream_id: shown.id };
  return {
    ids,
    shownIds: ids,
    lists: [shown.list],
    sentAt: shown.sentAt,
    observe: (row, now) => merge(row?.type === 'user' ? toStoredUser(row) : undefined, now),
    // To their account a list gives none of their names, or it gives these to a new account.
    isAnother: (row) => row.type === 'user' && compareAccount(toUserState(row), shown) !== 'same',
  };
}

/** Makes an entry of a group of both lists, of which SCIM's was asked for at `sentAt` (epoch milliseconds). */
export function toGroupEntry(
  { scim, rest }: { readonly scim?: ScimGroup | undefined; readonly rest?: RestGroup | undefined },
  { form, sentAt }: { readonly form: GroupScimId | undefined; readonly sentAt: number },
): Entry {
  const restId = form === 'restId' && scim ? toInteger(scim.id) : undefined;
  const observe = (row: ResourceRow | undefined, now: number) =>
    mergeGroup(row?.type === 'group' ? toObservedGroup(row) : undefined, { scim, rest }, now);
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
    observe,
    isAnother(row) {
      if (row.type !== 'group') return true;
      const { displayName } = observe(row, 0);
      return isAnotherGroup(toObservedGroup(row), { displayName, created: rest?.created });
    },
  };
}

/** Lists managed users and groups that new rows may stand for, because they have other ids by now. */
export async function listElsewhere(
  tx: Db,
  type: ResourceType,
  added: readonly { readonly entry: Entry; readonly row: NewRow }[],
): Promise<readonly ResourceRow[]> {
  const names = added.flatMap(({ row }) => listServiceNames(row));
  const created = new Map(
    added.map(({ entry, row }) => [row.name_folded, entry.observe(undefined, 0).created]),
  );
  const named: readonly ResourceRow[] = await listNamed(tx, type, names, { lock: true });
  return named.filter((row) => {
    if (row.origin === null || row.deleted_at !== null) return false;
    if (row.type === 'group') {
      const before = toObservedGroup(row)?.created;
      return before !== undefined && before === created.get(row.name_folded);
    }
    const held = row.upstream_id === null ? listAccountNames(row) : listServiceNames(row);
    return held.some((name) => names.includes(name));
  });
}

/** A group that was removed and is in a later list was not: its removal waits again, with one failed attempt. */
export async function removeAgain(
  tx: Db,
  row: GroupRow,
  { sentAt, now }: { readonly sentAt: number; readonly now: number },
): Promise<void> {
  const isReleased = row.origin !== 'created' || row.observed !== null;
  const isUnderWay = hasWaiting(row) || row.due_at !== null;
  if (isReleased || isUnderWay || row.modified_at >= sentAt) return;
  const asked = ask(parseCells<GroupField>(row), ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const cells = edit(asked, ['existence'], (cell) => fail(cell, failing));
  await updateRow(tx, row, { cells: JSON.stringify(cells), due_at: now, due_class: 0 });
}
