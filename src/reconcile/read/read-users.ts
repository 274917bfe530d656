import { isTheSame } from '../../domain/resource-state.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { findRowsOfAccounts } from '../../store/users/observations.ts';
import { toObservedUser } from '../../store/users/users.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { toObservedUser as observeScimUser } from '../user/observe.ts';
import { type ListResult, type PageTimes, readList } from './read-list.ts';
import type { ReadRun } from './reading.ts';
import { type SeenAccount, saveUsers } from './save-users.ts';
import { assertService } from './service.ts';

/** Reads the users: userName, name, address and the active flag. */
export async function readUsers(run: ReadRun): Promise<ListResult> {
  return readList(run, 'users', {
    operation: scim.getUsers,
    variants: [{}],
    async storePage(items, times) {
      const seen = { at: times.now, by: scim.getUsers.id };
      const accounts = items.map((item): SeenAccount => {
        const user = parseScimUser(item);
        return { upstreamId: user.id, observe: (before) => observeScimUser(user, before, seen) };
      });
      await storeAccounts(run, 'users', { accounts, times });
    },
  });
}

/**
 * Reads roles, licences and suspensions and merges them into the users of the SCIM list. Accounts that only this list
 * shows (placeholders without a mailbox, for instance) become users too: groups may have them as members, and their
 * addresses are taken.
 */
export async function readCompanyUsers(run: ReadRun): Promise<ListResult> {
  const { state, count } = run.reading.lists.users;
  return readList(run, 'companyUsers', {
    operation: companyUsers.getListOfUsers,
    variants: [{}, { query: { for_members_section: true } }],
    knownTotal: state === 'done' && count > 0 ? count : undefined,
    async storePage(items, times) {
      const users = items.map(parseCompanyUser);
      await assertService(run.deps, { companyId: users[0]?.companyId });
      const accounts = users.map((user) => ({
        upstreamId: user.id,
        observe: (before: ObservedUser | undefined) => observeCompanyUser(user, before, times.now),
      }));
      await storeAccounts(run, 'companyUsers', { accounts, times });
    },
  });
}

/** Stores what a page shows of accounts. Those that are stored as it shows them are only noted: mostly all. */
async function storeAccounts(
  { deps, reading }: ReadRun,
  list: 'users' | 'companyUsers',
  { accounts, times }: { readonly accounts: readonly SeenAccount[]; readonly times: PageTimes },
): Promise<void> {
  const byId = new Map(accounts.map((account) => [account.upstreamId, account]));
  const { byAccount, doubled } = await findRowsOfAccounts(deps.store.read, [...byId.keys()]);
  const inTwo = new Set(doubled.map(({ deleted }) => deleted.upstream_id));
  const changed = [...byId.values()].filter(({ upstreamId, observe }) => {
    const row = byAccount.get(upstreamId);
    const before = row && toObservedUser(row);
    if (!row || !before || inTwo.has(upstreamId)) return true;
    if (!isTheSame(observe(before), before)) return true;
    reading.unchanged[list].add(row.seq);
    return false;
  });
  if (changed.length === 0) return;
  await deps.store.write((tx) => saveUsers(tx, deps.rules, { accounts: changed, times }));
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
  const {
    userName = user.username,
    email = user.email,
    ...known
  } = before === undefined || before.by === by ? toUnknownToScim(user, by) : before;
  return {
    ...known,
    ...(userName === undefined ? {} : { userName }),
    ...(email === undefined ? {} : { email }),
    ...(role === undefined ? {} : { role, owner: role === OWNER_ROLE }),
    ...(virtual === undefined ? {} : { virtual }),
    ...(appsPermissions === undefined ? {} : { appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarilyInactive }),
    ...(takesLicence === undefined || !isWorking(user) ? {} : { takesLicence }),
    listedAt: at,
    at,
  };
}

/** True for an account of which the list says what it takes; one that does not work takes nothing. */
function isWorking({ role, temporarilyInactive }: CompanyUser): boolean {
  return role !== DEACTIVATED_ROLE && temporarilyInactive !== true;
}

function toUnknownToScim({ fullName = '', role }: CompanyUser, by: string): ObservedUser {
  return { fullName, active: role !== DEACTIVATED_ROLE, at: 0, by };
}
