import { newId, type UserId, userId } from '../../domain/ids.ts';
import { compareAccount, type ObservedUser, type ShownAccount } from '../../domain/user.ts';
import { followUsers } from '../../rules/follow.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import { moveLinks } from '../../store/links/of-users.ts';
import { listHolders } from '../../store/resources/find.ts';
import { insertEmails, listEmails, saveEmails } from '../../store/resources/names.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toObservedUser, toUserState } from '../../store/resources/state.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
} from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import {
  toObservedUser as observeScimUser,
  toObservedColumns,
  toUnmanagedAttributes,
} from '../user/observe.ts';
import type { Entry, EntryKind } from './store-entries.ts';

/** An account as a list shows it. */
interface UserEntry extends Entry {
  readonly ids: { readonly upstream_id: number };
  readonly shown: ShownAccount;
  /** Merges the entry into the observation before. */
  observe(before: ObservedUser | undefined, now: number): ObservedUser;
}

/** Makes an entry of the users that SCIM shows. */
export function toScimUserEntry(user: ScimUser, sentAt: number): UserEntry {
  return {
    ids: { upstream_id: user.id },
    shownIds: {},
    lists: ['users'],
    sentAt,
    shown: user,
    observe: (before, at) => observeScimUser(user, before, { at, by: scim.getUsers.id }),
  };
}

/** Makes an entry of the company users. */
export function toCompanyUserEntry(user: CompanyUser, sentAt: number): UserEntry {
  return {
    ids: { upstream_id: user.id },
    shownIds: {},
    lists: ['companyUsers'],
    sentAt,
    shown: { userName: user.username, emails: [user.email] },
    observe: (before, at) => observeCompanyUser(user, before, at),
  };
}

/**
 * Merges an entry of the list of company users. userName, address, name and `active` come from SCIM, which every later
 * look asks; the rest comes from this list. The role of a deactivated account tells nothing.
 */
export function observeCompanyUser(
  user: CompanyUser,
  before: ObservedUser | undefined,
  at: number,
): ObservedUser {
  const { virtual, appsPermissions, temporarilyInactive, takesLicence, role } = user;
  const by = companyUsers.getListOfUsers.id;
  const isActive = role !== DEACTIVATED_ROLE;
  const unknownToScim = { fullName: user.fullName ?? '', active: isActive, at: 0, by };
  const known: ObservedUser = before === undefined || before.by === by ? unknownToScim : before;
  const { userName = user.username, email = user.email } = known;
  // An account that does not work takes nothing, whatever the list says.
  const isWorking = isActive && temporarilyInactive !== true;
  return {
    ...known,
    ...(userName === undefined ? {} : { userName }),
    ...(email === undefined ? {} : { email }),
    ...(role === undefined ? {} : { role, owner: role === OWNER_ROLE }),
    ...(virtual === undefined ? {} : { virtual }),
    ...(appsPermissions === undefined ? {} : { appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarilyInactive }),
    ...(takesLicence === undefined || !isWorking ? {} : { takesLicence }),
    listedAt: at,
    at,
  };
}

type ObservedNames = Pick<UserRow, 'observed_user_name_folded' | 'observed_email_folded'>;

function listNames(row: Partial<ObservedNames>): string[] {
  return [row.observed_user_name_folded, row.observed_email_folded].flatMap((name) => name || []);
}

function toColumns(observed: ObservedUser, row?: UserRow) {
  const seen = toObservedColumns(row ?? { erased_at: null }, observed);
  return { seen, shown: toUserColumns(toUnmanagedAttributes(observed)) };
}

/** Users of the lists. A managed user may have the account of a deleted one by now. */
export const userEntries: EntryKind<'user', UserEntry> = {
  type: 'user',
  compared: 1_000,
  saved: 1_000,
  // A deleted user may keep the account that an unmanaged row stands for.
  rank: ({ origin, deleted_at }) => (deleted_at !== null ? 1 : origin === null ? 2 : 0),
  observe: (entry, row, now) => entry.observe(row && toObservedUser(row), now),
  toColumns,
  toNewRow(entry, now) {
    const { seen, shown } = toColumns(entry.observe(undefined, now));
    const times = { created_at: now, modified_at: now };
    return { ...seen, ...shown, ...entry.ids, ...times, type: 'user', id: userId(newId()) };
  },
  /** To their account a list gives none of their names, or it gives these to a new account. */
  async listMoved(tx, { isFirst }, known, added) {
    if (isFirst) return [];
    const strangers = known.flatMap(({ entry, row }) => {
      const isOurs =
        row.origin === null || compareAccount(toUserState(row), entry.shown) === 'same';
      return isOurs ? [] : [row];
    });
    const names = added.flatMap(([, row]) => listNames(row));
    const namesakes = names.length === 0 ? [] : await listHolders(tx, names);
    const elsewhere = namesakes.filter(
      (row) =>
        row.origin !== null &&
        (row.upstream_id === null || listNames(row).some((name) => names.includes(name))),
    );
    return [...strangers, ...elsewhere];
  },
  listNames,
  absorb: (tx, row, double) => moveLinks(tx, 'user', double, row),
  /** Rules follow a licence that was not known before: they might have taken it from a protected user. */
  async finish(tx, { deps: { rules, clock } }, saved, inserted) {
    const licensed: UserId[] = [];
    for (const { row, observed, shown } of saved) {
      const { id } = row;
      const isLicenceKnown = toObservedUser(row)?.appsPermissions !== undefined;
      if (row.origin === null) await saveEmails(tx, row, { id, attributes: shown.attributes });
      else if (observed.appsPermissions !== undefined && !isLicenceKnown) licensed.push(id);
    }
    const emails = inserted.flatMap(({ row }) =>
      listEmails(row).map((name) => ({ resource: row.id, name })),
    );
    await insertEmails(tx, emails);
    if (licensed.length > 0 && !rules.book.isEmpty) {
      await followUsers(tx, rules, licensed, clock.now());
    }
  },
};
