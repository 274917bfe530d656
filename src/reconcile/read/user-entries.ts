import { compareAccount, type ObservedUser, type ShownAccount } from '../../domain/kinds.ts';
import { newId, type UserId, userId } from '../../domain/values.ts';
import { followUsers } from '../../rules/follow.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import { listHolders } from '../../store/resources/find.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toObservedUser as toStoredUser, toUserState } from '../../store/resources/state.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import {
  observeCompanyUser,
  toObservedColumns,
  toObservedUser,
  toUnmanagedAttributes,
} from '../user/observe.ts';
import type { Entry, EntryKind } from './store-entries.ts';

/** Makes an entry of the users that SCIM shows. */
export function toScimUserEntry(user: ScimUser, sentAt: number): Entry<'user'> {
  const by = scim.getUsers.id;
  return toEntry(user.id, user, {
    lists: ['users'],
    sentAt,
    observe: (row, at) => toObservedUser(user, row && toStoredUser(row), { at, by }),
  });
}

/** Makes an entry of the company users. */
export function toCompanyUserEntry(user: CompanyUser, sentAt: number): Entry<'user'> {
  const shown = { userName: user.username, emails: [user.email] };
  return toEntry(user.id, shown, {
    lists: ['companyUsers'],
    sentAt,
    observe: (row, at) => observeCompanyUser(user, row && toStoredUser(row), at),
  });
}

function toEntry(
  upstream_id: number,
  shown: ShownAccount,
  entry: Pick<Entry<'user'>, 'lists' | 'sentAt' | 'observe'>,
): Entry<'user'> {
  const ids = { upstream_id };
  // To their account a list gives none of their names, or it gives these to a new account.
  const isAnother = (row: UserRow) => compareAccount(toUserState(row), shown) !== 'same';
  return { ...entry, ids, shownIds: ids, isAnother };
}

type ObservedNames = Pick<UserRow, 'observed_user_name_folded' | 'observed_email_folded'>;

function listNames(row: Partial<ObservedNames>): string[] {
  return [row.observed_user_name_folded, row.observed_email_folded].flatMap((name) => name || []);
}

/** Users of the lists. A managed user may have the account of a deleted one by now. */
export const userEntries: EntryKind<'user'> = {
  type: 'user',
  compared: 1_000,
  saved: 1_000,
  newId: () => userId(newId()),
  // A deleted user may keep the account that an unmanaged row stands for.
  rank: ({ origin, deleted_at }) => (deleted_at !== null ? 1 : origin === null ? 2 : 0),
  toSeenColumns: (observed: ObservedUser, row: Pick<UserRow, 'erased_at'> = { erased_at: null }) =>
    toObservedColumns(row, observed),
  toShownColumns: (observed) => toUserColumns(toUnmanagedAttributes(observed)),
  async listElsewhere(tx, added) {
    const names = added.flatMap(({ row }) => listNames(row));
    const namesakes = names.length === 0 ? [] : await listHolders(tx, names);
    return namesakes.filter(
      (row) =>
        row.origin !== null &&
        (row.upstream_id === null || listNames(row).some((name) => names.includes(name))),
    );
  },
  listNames,
  /** Rules might have taken a licence that was not known before from a protected user. */
  async finish(tx, { deps: { rules, clock } }, saved) {
    const now = clock.now();
    const licensed = saved.flatMap(({ entry, row }): UserId[] => {
      const isKnown = toStoredUser(row)?.appsPermissions !== undefined;
      if (isKnown || row.origin === null) return [];
      return entry.observe(row, now).appsPermissions === undefined ? [] : [row.id];
    });
    if (licensed.length > 0 && !rules.book.isEmpty) await followUsers(tx, rules, licensed, now);
  },
};
