import { newId, type UserId, userId } from '../../domain/ids.ts';
import { confirms, isTheSame } from '../../domain/resource-state.ts';
import { compareAccount, type ObservedUser, type ShownAccount } from '../../domain/user.ts';
import { followUsers } from '../../rules/follow.ts';
import { toUserColumns } from '../../store/engine/columns.ts';
import { moveLinks } from '../../store/links/of-users.ts';
import {
  findRowsOfAccounts,
  listHolders,
  listNamesUnderWay,
  type RowsOfAccounts,
} from '../../store/resources/find.ts';
import { insertEmails, listEmails, saveEmails } from '../../store/resources/names.ts';
import {
  deleteRow,
  insertRows,
  type NewRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import {
  toObservedUser as observeScimUser,
  toObservedColumns,
  toUnmanagedAttributes,
} from '../user/observe.ts';
import { type PageTimes, type ReadRun, readList } from './reading.ts';
import { assertService } from './service.ts';

interface SeenAccount {
  readonly upstreamId: number;
  readonly shown: ShownAccount;
  /** Merges this account into the observation before. */
  observe(before: ObservedUser | undefined): ObservedUser;
}

interface SeenPage {
  readonly accounts: readonly SeenAccount[];
  readonly times: PageTimes;
}

/** Reads the users: userName, name, address and the active flag. */
export async function readUsers(run: ReadRun): Promise<string | undefined> {
  return readList(run, 'users', {
    operation: scim.getUsers,
    variants: [{}],
    async storePage(items, times) {
      const seen = { at: times.now, by: scim.getUsers.id };
      const accounts = items.map((item): SeenAccount => {
        const user = parseScimUser(item);
        const observe = (before: ObservedUser | undefined) => observeScimUser(user, before, seen);
        return { upstreamId: user.id, shown: user, observe };
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
export async function readCompanyUsers(run: ReadRun): Promise<string | undefined> {
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
        shown: { userName: user.username, emails: [user.email] },
        observe: (before: ObservedUser | undefined) => observeCompanyUser(user, before, times.now),
      }));
      await storeAccounts(run, 'companyUsers', { accounts, times });
    },
  });
}

/** Stores what a page shows of accounts. Those that are stored as it shows them are only noted: mostly all. */
async function storeAccounts(
  run: ReadRun,
  list: 'users' | 'companyUsers',
  { accounts, times }: SeenPage,
): Promise<void> {
  const { store } = run.deps;
  const byId = new Map(accounts.map((account) => [account.upstreamId, account]));
  const { byAccount, doubled } = await findRowsOfAccounts(store.read, [...byId.keys()]);
  const inTwo = new Set(doubled.map(({ deleted }) => deleted.upstream_id));
  const changed = [...byId.values()].filter(({ upstreamId, observe }) => {
    const row = byAccount.get(upstreamId);
    const before = row && toObservedUser(row);
    if (!row || !before || inTwo.has(upstreamId)) return true;
    if (!isTheSame(observe(before), before)) return true;
    run.reading.unchanged[list].add(row.seq);
    return false;
  });
  if (changed.length === 0) return;
  await store.write((tx) => saveUsers(tx, run, { accounts: changed, times }));
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

/**
 * Stores accounts of a list, so that a repeated page adds none. A user written since the list was asked for keeps the
 * newer state. Rules follow a licence that was not known before: they might have taken it from a protected user.
 * Users whose accounts may have other ids by now are looked at, and until then the lists say nothing of them.
 */
async function saveUsers(
  tx: Db,
  { deps: { rules }, reading }: ReadRun,
  { accounts, times }: SeenPage,
): Promise<void> {
  const ids = accounts.map(({ upstreamId }) => upstreamId);
  const rows = await findRowsOfAccounts(tx, ids, { lock: true });
  const { byAccount, doubled } = rows;
  for (const { deleted, unmanaged } of doubled) {
    await moveLinks(tx, unmanaged.id, deleted.id);
    await deleteRow(tx, unmanaged);
  }
  const added = accounts.flatMap(({ upstreamId, observe }) =>
    byAccount.has(upstreamId) ? [] : toNewUser(upstreamId, observe(undefined), times.now),
  );
  const moved = reading.isFirst ? [] : await listMoved(tx, accounts, rows, added);
  for (const row of moved) {
    reading.moved.add(row.id);
    await updateRow(tx, row, toLookAgainColumns(row, times.now));
  }
  const licensed: UserId[] = [];
  for (const { upstreamId, observe } of accounts) {
    const row = byAccount.get(upstreamId);
    if (row === undefined || moved.includes(row)) continue;
    const before = toObservedUser(row);
    const observed = observe(before);
    if (!(await isNews(tx, row, { before, observed, times }))) continue;
    if (row.origin !== null && tellsLicence(observed, before)) licensed.push(row.id);
    await saveUser(tx, row, { observed, now: times.now });
  }
  const news = await withoutUnderWay(tx, added, moved);
  await insertRows(tx, news);
  await insertEmails(
    tx,
    news.flatMap((row) => listEmails(row).map((name) => ({ resource: row.id, name }))),
  );
  if (licensed.length > 0 && !rules.book.isEmpty) {
    await followUsers(tx, rules, licensed, times.now);
  }
}

/** Lists the managed users to whose account a list gives none of their names, or whose names it gives to a new account. */
async function listMoved(
  tx: Db,
  accounts: readonly SeenAccount[],
  { byAccount }: RowsOfAccounts,
  added: readonly NewRow<'user'>[],
): Promise<UserRow[]> {
  const strangers = accounts.flatMap(({ upstreamId, shown }) => {
    const row = byAccount.get(upstreamId);
    const isOurs = !row?.origin || compareAccount(toUserState(row), shown) === 'same';
    return isOurs ? [] : row;
  });
  const names = added.flatMap(listObservedNames);
  const namesakes = names.length === 0 ? [] : await listHolders(tx, names);
  const elsewhere = namesakes.filter(
    (row) => row.origin && (row.upstream_id === null || isNamed(row, new Set(names))),
  );
  return [...strangers, ...elsewhere];
}

type ObservedNames = Pick<NewRow<'user'>, 'observed_user_name_folded' | 'observed_email_folded'>;

function listObservedNames(row: ObservedNames): string[] {
  return [row.observed_user_name_folded, row.observed_email_folded].flatMap((name) => name || []);
}

function isNamed(row: ObservedNames, names: ReadonlySet<string>): boolean {
  return listObservedNames(row).some((name) => names.has(name));
}

/**
 * Leaves out accounts that a create of ours may have made, and those of people who moved: the look of the user who waits for
 * it tells. Under another id they would be lost to whoever writes them meanwhile.
 */
async function withoutUnderWay(
  tx: Db,
  added: readonly NewRow<'user'>[],
  moved: readonly UserRow[],
) {
  if (added.length === 0) return [];
  const names = new Set(moved.flatMap(listObservedNames));
  const underWay = (await listNamesUnderWay(tx, 'user')).union(names);
  return added.filter((row) => !isNamed(row, underWay));
}

interface Shown {
  readonly before: ObservedUser | undefined;
  readonly observed: ObservedUser;
  readonly times: PageTimes;
}

/**
 * True when a list tells news of a user. One that may be older than a call makes a look due, but for where it shows what
 * the call showed: mostly a user who was created while the list was read.
 */
async function isNews(tx: Db, row: UserRow, { before, observed, times }: Shown): Promise<boolean> {
  const decision = decideMerge(row, times.sentAt);
  if (decision !== 'look-again') return decision === 'merge';
  if (before !== undefined && confirms(observed, before)) return true;
  await updateRow(tx, row, toLookAgainColumns(row, times.now));
  return false;
}

function tellsLicence(observed: ObservedUser, before: ObservedUser | undefined): boolean {
  return observed.appsPermissions !== undefined && before?.appsPermissions === undefined;
}

function toNewUser(upstreamId: number, observed: ObservedUser, now: number): NewRow<'user'> {
  return {
    ...toObservedColumns({ erased_at: null }, observed),
    ...toUserColumns(toUnmanagedAttributes(observed)),
    type: 'user',
    id: userId(newId()),
    upstream_id: upstreamId,
    created_at: now,
    modified_at: now,
  };
}

/** Stores an observation: an unmanaged user is shown as observed, a managed one as desired. */
async function saveUser(
  tx: Db,
  row: UserRow,
  { observed, now }: { observed: ObservedUser; now: number },
): Promise<void> {
  const columns = toObservedColumns(row, observed);
  const shown = row.origin === null ? toUserColumns(toUnmanagedAttributes(observed)) : undefined;
  if (shown === undefined || shown.attributes === row.attributes) {
    await updateRow(tx, row, columns, row);
    return;
  }
  const changed = { ...shown, version: row.version + 1, modified_at: now };
  await updateRow(tx, row, { ...columns, ...changed }, row);
  await saveEmails(tx, row, { id: row.id, attributes: shown.attributes });
}
