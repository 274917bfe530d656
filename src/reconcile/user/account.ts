import { isDeepStrictEqual } from 'node:util';
import type { ObservedUser, SentCreate, UserState } from '../../domain/kinds.ts';
import {
  compareAccount,
  isGone,
  isWorking,
  toSentUser,
  withCreated,
  withoutPersonalData,
} from '../../domain/kinds.ts';
import { takesSeat } from '../../domain/seats.ts';
import type { Refusal } from '../../domain/values.ts';
import { foldCase, newId, parseFields, parseKnown, toOwnRefusal } from '../../domain/values.ts';
import { hasWaiting } from '../../store/engine/columns.ts';
import { listCreations } from '../../store/logs.ts';
import { isLeaving } from '../../store/resources/backlog.ts';
import { findLinked } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { LIVE, listRows } from '../../store/resources/rows.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import {
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Classified, Outcome } from '../outcome.ts';
import { LASTING, MISSING, seenOr } from '../outcome.ts';
import { findDoubt, lookSurely } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import { readUser, search } from '../step-call.ts';

/** Looks at a user; where the account is gone, at one of the same names: ids may be new, or the person was invited again. */
export async function lookForUser({ deps, state }: StepCall<UserState>): Promise<Outcome> {
  const outcome = await lookAtUser(deps, state);
  if (outcome.kind !== 'done' || !outcome.known.missing) return outcome;
  const [user, ...others] = await findNamesakes(deps, state);
  if (user === undefined || others.length > 0 || user.id === state.upstream_id) return MISSING;
  const isSurely = user.created !== undefined && user.created === state.observed?.created;
  const taken = isSurely ? toFound(deps, user) : await adoptFound(deps, user);
  return taken.kind === 'refused' ? MISSING : taken;
}

function toFound(deps: ReconcileDeps, user: ScimUser, how?: { adopted: true }): Outcome {
  const shown = observeUser(user, undefined, { at: deps.clock.now(), by: scim.getUsers.id });
  const observed = how ? { ...shown, owner: false } : shown;
  const ids = { upstream_id: user.id };
  return { kind: 'done', known: { ids, observed, ...how, done: ['account'] } };
}

/** Looks at one user in the service, by the account where it is known. @throws UpstreamError */
export async function lookAtUser(deps: ReconcileDeps, state: UserState): Promise<Outcome> {
  const { upstream_id: id } = state;
  if (id === null) return lookForAccount(deps, state);
  const look = async (): Promise<Outcome> => {
    const user = await readUser(deps, id);
    const likeness = compareAccount(state, user);
    // Either the account was renamed, or the id is another person's now, and the user's account has another one.
    const isAnother =
      likeness === 'another' ||
      (likeness === 'unclear' && (await findNamesakes(deps, state)).length > 0);
    if (isAnother) return MISSING;
    const sighting = { at: deps.clock.now(), by: scim.getUser.id };
    return { kind: 'done', known: { observed: observeUser(user, state.observed, sighting) } };
  };
  return lookSurely(deps, 'users', look, async () => MISSING);
}

/** Finds the accounts with the names of the account as it was seen last. @throws UpstreamError */
function findNamesakes(deps: ReconcileDeps, { desired, observed }: UserState) {
  const { userName = desired.userName, email = desired.address } = observed ?? {};
  return findAccounts(deps, toAccountNames(toSentUser({ userName, address: email })));
}

/** Looks for the account of a user without one: by the values that creates left with, else by its own. */
async function lookForAccount(deps: ReconcileDeps, state: UserState): Promise<Outcome> {
  const [user, ...others] = await findCreated(deps, state);
  if (user === undefined) {
    const isWanted = state.desired.active;
    const nobody: Outcome = { kind: 'done', known: isWanted ? {} : { done: ['account'] } };
    return (await findDoubt(deps, 'users')) ?? nobody;
  }
  if (others.length > 0) {
    const words = 'several accounts of the service have this userName or address';
    return { kind: 'refused', parts: ['account'], problem: toOwnRefusal(words) };
  }
  return state.sent_creates.length > 0 ? toFound(deps, user) : adoptFound(deps, user);
}

/** Resolves "already has access": the account is adopted, refused, or waited for where a lost create may have made it. */
export async function resolveConflict(
  { deps, state }: StepCall<UserState>,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict') return undefined;
  const names = toAccountNames(toSentUser(state.desired));
  const filtered = await findAccounts(deps, names);
  // The service says that it exists, and a filter may hide inactive users.
  const found = filtered.length > 0 ? filtered : await findInList(deps, names);
  const [user, ...others] = found;
  if (user !== undefined && others.length === 0) return adoptFound(deps, user, problem);
  const { read } = deps.store;
  const wasMade =
    state.sent_creates.length > 0 || (await listCreations(read, { ids: [state.id], from: 0 }))[0];
  const isOurs = user === undefined && wasMade;
  const conflict = { ...problem, code: 'conflict' };
  return { kind: isOurs ? 'unknown' : 'refused', parts: ['account'], problem: conflict };
}

/** Why the account of an owner is never given to a user by itself, in our words. */
export const OWNER_ACCOUNT =
  'the account in the service is an owner of the company, and is not taken over';

/** Adopts the found account, unless it is privileged or the settings forbid it. @throws UpstreamError */
async function adoptFound(
  deps: ReconcileDeps,
  user: ScimUser,
  problem?: Refusal,
): Promise<Outcome> {
  const obstacle = await findObstacle(deps, user);
  if (obstacle === undefined) return toFound(deps, user, { adopted: true });
  const refusal = { ...problem, ...toOwnRefusal(obstacle) };
  return { kind: 'refused', parts: ['account'], problem: refusal };
}

/** Why an account is not taken over, in words; undefined: it is. @throws UpstreamError */
async function findObstacle(
  deps: ReconcileDeps,
  { id: upstreamId, userName, emails }: ScimUser,
): Promise<string | undefined> {
  if (deps.policy.adoptUsers !== 'yes')
    return 'the account exists in the service, and is not taken over';
  const account = { upstreamId, names: [userName, ...emails] };
  const { protection } = deps.rules;
  if ((await protection.findAccountPrivilege(deps.store.read, account)) !== undefined) {
    return 'the account in the service is protected, and is not taken over';
  }
  const isOwner = await lookUpOwner(deps, upstreamId, { email: emails[0], userName });
  return isOwner ? OWNER_ACCOUNT : undefined;
}

/** Names by which an account is recognised: the userName and the address of its create, folded. */
const toAccountNames = ({ name, address }: SentCreate) => [
  ...new Set([name, address ?? name].map(foldCase)),
];

/** Finds the accounts of these folded names, by filter or else in the complete list; none: there are none. @throws UpstreamError */
const findAccounts = async (deps: ReconcileDeps, names: readonly string[]) =>
  (await findByFilter(deps, names)) ?? (await findInList(deps, names));

/** Finds the accounts that a create may have left, by the names that were sent. One that another user has is left out. @throws UpstreamError */
async function findCreated(
  deps: ReconcileDeps,
  { id, desired, sent_creates }: UserState,
): Promise<readonly ScimUser[]> {
  const wanted = toSentUser(desired);
  for (const create of sent_creates.length > 0 ? sent_creates : [wanted]) {
    const found = await findAccounts(deps, toAccountNames(create));
    const [user, ...others] = found;
    if (user === undefined) continue;
    if (others.length > 0 || isDeepStrictEqual(create, wanted)) return found;
    const holder = await findLinked(deps.store.read, 'user', { upstream_id: user.id });
    if (holder === undefined || holder.id === id || holder.origin === null) return found;
  }
  return [];
}

function findInList(deps: ReconcileDeps, names: readonly string[]): Promise<ScimUser[]> {
  const isMeant = (user: ScimUser) => isNamed(user, names);
  return search(deps, { operation: scim.getUsers, args: {}, parse: parseScimUser, isMeant });
}

/** True when an account has one of these names. Compared here, because the service may ignore a filter. */
const isNamed = ({ userName, emails }: ScimUser, names: readonly string[]) =>
  [userName, ...emails].some((text) => text !== undefined && names.includes(foldCase(text)));

type Attribute = 'userName' | 'emails.value';

/** Finds accounts by filters, the likeliest first; undefined when an empty answer proves nothing. */
async function findByFilter(
  deps: ReconcileDeps,
  names: readonly string[],
): Promise<ScimUser[] | undefined> {
  const [name = '', ...others] = names;
  const hits = new Map<number, ScimUser>();
  async function ask(attribute: Attribute, values: readonly string[]): Promise<void> {
    for (const value of values) {
      const shown = await askUsers(deps, attribute, value);
      for (const user of shown) if (isNamed(user, names)) hits.set(user.id, user);
    }
  }
  const isRefused = await seenOr(ask('userName', [name]), true, ...LASTING);
  if (hits.size === 0) {
    if (isRefused || !(await isFilterProven(deps))) return undefined;
    await ask('emails.value', names);
    await ask('userName', others);
  }
  return [...hits.values()];
}

async function askUsers(
  { upstream }: ReconcileDeps,
  attribute: Attribute,
  value: string,
): Promise<ScimUser[]> {
  const filter = `${attribute} eq ${JSON.stringify(value)}`;
  const list = await upstream.call(scim.getUsers, { query: { filter } });
  return parseScimList(list).items.map(parseScimUser);
}

/** An active account that the service was seen to hold, with a userName and an address, so that a filter must find it. */
const KNOWN = {
  ...LIVE,
  active: 1,
  upstream_id: { '<>': null },
  observed_user_name_folded: { '>': '' },
  observed_email_folded: { '>': '' },
} as const;

/**
 * True if an empty answer to a filter means "not there": it has found exactly one known account, written in other
 * letters, and none for an unused value. Asked once a day at most. @throws UpstreamError
 */
async function isFilterProven(deps: ReconcileDeps): Promise<boolean> {
  const { userFilter } = deps.quirks.current();
  if (userFilter !== undefined) return userFilter === 'proven';
  const [known] = await listRows(deps.store.read, 'user', KNOWN, { order: 'seq', limit: 1 });
  if (known === undefined) return false;
  const shows = async (attribute: Attribute, value: string) =>
    (await seenOr(askUsers(deps, attribute, value), [], ...LASTING)).map(({ id }) => id);
  const { upstream_id, observed_user_name_folded: name, observed_email_folded: email } = known;
  let isProven = true;
  const names = { userName: name, 'emails.value': email };
  for (const attribute of parseFields(names)) {
    // The values are folded, so a filter that minds the case would overlook users.
    const [found, ...others] = await shows(attribute, `${names[attribute]}`.toUpperCase());
    others.push(...(await shows(attribute, `${newId()}@nobody.invalid`)));
    isProven &&= found === upstream_id && others.length === 0;
  }
  await deps.quirks.learn({ userFilter: isProven ? 'proven' : 'refused' });
  return isProven;
}

/** Merges a SCIM answer about a user into the observation from the REST lists; `by` is the call. */
export function observeUser(
  { userName, fullName, active, created, emails: [email] }: ScimUser,
  before: ObservedUser | null | undefined,
  { at, by }: Pick<ObservedUser, 'at' | 'by'>,
): ObservedUser {
  const names = parseKnown({ userName, email });
  const shown = { ...names, fullName, active, shownAt: at, at, by };
  return { ...before, ...withCreated(before, created), ...shown };
}

/** Merges an entry of the list of company users. userName, address, name and `active` come from SCIM where it shows them. */
export function observeCompanyUser(
  user: CompanyUser,
  before: ObservedUser | undefined,
  at: number,
): ObservedUser {
  const { email, username: userName, fullName = '', role } = user;
  const { virtual, appsPermissions, temporarilyInactive, takesLicence } = user;
  const by = companyUsers.getListOfUsers.id;
  const active = role !== DEACTIVATED_ROLE;
  const owner = role === undefined ? undefined : role === OWNER_ROLE;
  const isKnown = before !== undefined && before.by !== by;
  // An account that does not work takes nothing, whatever the list says.
  const isWorking = active && temporarilyInactive !== true;
  return {
    ...parseKnown({ userName, email }),
    ...(isKnown ? before : { fullName, active, at, by }),
    ...parseKnown({ role, owner, virtual, appsPermissions }),
    ...parseKnown({ temporarilyInactive, takesLicence: isWorking ? takesLicence : undefined }),
    listedAt: at,
    at,
  };
}

/** Columns of an observation of this user (undefined: a new one); without personal values where these were erased. */
export function toObservedColumns(row: Observed | undefined, seen: ObservedUser | undefined) {
  const observed = seen && row && row.erased_at !== null ? withoutPersonalData(seen) : seen;
  return {
    observed: observed ?? null,
    observed_user_name_folded: foldOrNull(observed?.userName),
    observed_email_folded: foldOrNull(observed?.email),
    owner: Number(observed?.owner === true),
    takes_seat: Number(takesSeat(observed)),
    ...(row &&
      observed &&
      provesOut(row, observed) && { out_at: Math.max(observed.at, observed.goneAt ?? 0) }),
  };
}

type Observed = Pick<ResourceRow, 'erased_at' | 'left_at' | 'out_at'>;

const CHANGING: ReadonlySet<string> = new Set([scim.updateUser.id, companyUsers.updateUser.id]);

/** True where an observation proves that a leaver is out. No answer of a call does: a service may answer and do nothing. */
function provesOut({ left_at, out_at }: Observed, seen: ObservedUser): boolean {
  if (left_at === null || out_at !== null) return false;
  return isGone(seen) || (isOut(seen) && !CHANGING.has(seen.by) && seen.at >= left_at);
}

/** True for a leaver whom the service says to be out, which only a look after the call proves. */
export function isToBeProven(row: ResourceRow): boolean {
  if (row.type === 'group' || !isLeaving(row) || hasWaiting(row)) return false;
  return row.observed !== null && isOut(row.observed);
}

/** True for whom either switch of the service keeps out. */
export const isOut = (user: Parameters<typeof isWorking>[0]) =>
  !isWorking(user, 'temporarilyInactive');

const foldOrNull = (text: string | undefined) => (text === undefined ? null : foldCase(text));

/** Tells whether an account is an owner's; where the list is closed to us, nobody is known as one. @throws UpstreamError */
export async function lookUpOwner(
  deps: ReconcileDeps,
  upstreamId: number,
  names: Parameters<typeof findCompanyUser>[2],
): Promise<boolean> {
  if (deps.sections.states().companyUsers?.problem) return false;
  const found = findCompanyUser(deps, upstreamId, names);
  return (await seenOr(found, undefined, 'forbidden', 'refused'))?.role === OWNER_ROLE;
}

/** Finds a company user by a search for its names; undefined: it is not there. @throws UpstreamError: the list has no end */
export async function findCompanyUser(
  deps: ReconcileDeps,
  upstreamId: number,
  { email, userName = '' }: { email?: string | undefined; userName?: string | undefined } = {},
): Promise<CompanyUser | undefined> {
  const [found] = await search(deps, {
    operation: companyUsers.getListOfUsers,
    args: { query: { for_members_section: true, query: email ?? userName } },
    parse: parseCompanyUser,
    isMeant: ({ id }) => id === upstreamId,
    isOne: true,
  });
  return found;
}
