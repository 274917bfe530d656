import { isDeepStrictEqual } from 'node:util';
import { foldCase } from '../../domain/fold.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { toSentUser, type UserState } from '../../domain/user.ts';
import { findUserByUpstreamId } from '../../store/resources/by-upstream.ts';
import { countKnown } from '../../store/resources/rows.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import { readUser } from '../read-back.ts';
import { BLIND, isBlind } from '../sections.ts';
import { classify } from '../verdict.ts';
import { askUsers, type Filter, orNothing, proveUserFilter } from './prove-user-filter.ts';

/** Result of looking for an account. "Not there" needs a proven filter or a complete list. */
type FoundAccount =
  | { readonly kind: 'found'; readonly user: ScimUser }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'could-not-look'; readonly problem: Problem };

/**
 * Looks for an account in the service: first by filter, with the hits compared here, because the service may ignore the
 * filter; then by the search of the company's members, where that may save a long list; then through the complete list.
 */
export async function findAccount(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  return attempt(async () => {
    const byFilter = await findByFilter(deps, context, keys);
    if (byFilter) return byFilter;
    const hits = await findByQuery(deps, context, keys);
    return hits.length > 0 ? toFound(hits) : findInList(deps, context, keys);
  });
}

/**
 * Looks for an account through the complete list alone: the service says it exists and no filter shows it, because a
 * filter may hide inactive users.
 */
export async function findAccountInList(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  return attempt(() => findInList(deps, context, keys));
}

async function attempt(look: () => Promise<FoundAccount>): Promise<FoundAccount> {
  try {
    return await look();
  } catch (error) {
    return { kind: 'could-not-look', problem: classify(error).problem };
  }
}

/** Looks for an account by filter; undefined when an empty answer proves nothing. */
async function findByFilter(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount | undefined> {
  const [first, ...others] = listFilters(keys);
  try {
    const hits = await askFor(deps, context, { keys, filters: [first] });
    if (hits.length > 0) return toFound(hits);
  } catch (error) {
    return orNothing(error, undefined);
  }
  if ((await proveUserFilter(deps, context)) !== 'proven') return undefined;
  const hits = await askFor(deps, context, { keys, filters: others });
  return hits.length > 0 ? toFound(hits) : { kind: 'not-there' };
}

/** Lists the filters by which an account can match the keys, the likeliest first. */
function listFilters({ userNameFolded, emailFolded }: AccountKeys): [Filter, ...Filter[]] {
  const values = [...new Set([userNameFolded, emailFolded ?? userNameFolded])];
  return [
    { attribute: 'userName', value: userNameFolded },
    ...values.map((value): Filter => ({ attribute: 'emails.value', value })),
    ...values.slice(1).map((value): Filter => ({ attribute: 'userName', value })),
  ];
}

async function askFor(
  deps: ReconcileDeps,
  context: CallContext,
  { keys, filters }: { keys: AccountKeys; filters: readonly Filter[] },
): Promise<ScimUser[]> {
  const hits: ScimUser[] = [];
  for (const filter of filters) {
    const found = await askUsers(deps, context, filter);
    hits.push(...found.filter((user) => matchesKeys(user, keys)));
  }
  return hits;
}

async function findInList(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  const matches: ScimUser[] = [];
  const options = { pageSize: deps.policy.pageSize, ...context };
  const pages = paginate(deps.upstream, scim.getUsers, {}, options);
  for await (const page of pages) {
    for (const item of page.items) {
      const user = parseScimUser(item);
      if (matchesKeys(user, keys)) matches.push(user);
    }
  }
  if (matches.length > 0) return toFound(matches);
  const { result } = pages;
  if (result.complete) return { kind: 'not-there' };
  return { kind: 'could-not-look', problem: { code: 'incomplete', words: result.reason } };
}

function toFound(matches: ScimUser[]): FoundAccount {
  const ids = new Set(matches.map(({ id }) => id));
  const [user] = matches;
  if (user === undefined || ids.size > 1) return { kind: 'ambiguous' };
  return { kind: 'found', user };
}

/** Pages from which a complete list costs more than asking first whether the account exists. */
const PAGES_WORTH_A_QUERY = 4;

/**
 * Finds accounts by the search of the company's members, each confirmed by the account itself. An empty result proves
 * nothing: the search may be ignored, or hide inactive users. Asks only where that may save a long list.
 * @throws UpstreamError when the service could not be asked
 */
async function findByQuery(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<ScimUser[]> {
  const { pageSize } = deps.policy;
  const known = await countKnown(deps.store.read, 'user');
  if (known <= (PAGES_WORTH_A_QUERY - 1) * pageSize) return [];
  const hits: ScimUser[] = [];
  for (const id of await askMembers(deps, context, keys)) {
    const user = await findUser(deps, context, id);
    if (user && matchesKeys(user, keys)) hits.push(user);
  }
  return hits;
}

async function askMembers(
  { upstream, policy }: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<number[]> {
  const text = keys.emailFolded ?? keys.userNameFolded;
  const query = { for_members_section: true, query: text, offset: 0, limit: policy.pageSize };
  try {
    const answer = await upstream.call(companyUsers.getListOfUsers, { query }, context);
    const users = Array.isArray(answer) ? answer.map(parseCompanyUser) : [];
    return users.filter((user) => isCalled(user, text)).map(({ id }) => id);
  } catch (error) {
    return orNothing(error, []);
  }
}

function isCalled({ email, username }: CompanyUser, text: string): boolean {
  return [email, username].some((name) => name !== undefined && foldCase(name) === text);
}

async function findUser(
  deps: ReconcileDeps,
  context: CallContext,
  id: number,
): Promise<ScimUser | undefined> {
  try {
    return await readUser(deps, context, id);
  } catch (error) {
    return orNothing(error, undefined);
  }
}

/** Keys by which an account is recognised, both folded. */
interface AccountKeys {
  readonly userNameFolded: string;
  readonly emailFolded: string | undefined;
}

/** Makes the keys of an account from the values of its create. */
export function toAccountKeys({ name, address }: SentCreate): AccountKeys {
  return {
    userNameFolded: foldCase(name),
    emailFolded: address === undefined ? undefined : foldCase(address),
  };
}

/** True when an account has this userName or address. Compared here, because the service may ignore a filter. */
function matchesKeys(user: ScimUser, { userNameFolded, emailFolded }: AccountKeys): boolean {
  const names = [user.userName, ...user.emails].flatMap((text) =>
    text === undefined ? [] : [foldCase(text)],
  );
  return (
    names.includes(userNameFolded) || (emailFolded !== undefined && names.includes(emailFolded))
  );
}

/**
 * Looks for the account that a create may have left, by the values that each was sent with, whatever the user's name is
 * now. An account of an earlier name that another user has by now is left out.
 */
export async function findCreated(
  deps: ReconcileDeps,
  context: CallContext,
  { id, desired, sentCreates }: UserState,
): Promise<FoundAccount> {
  const wanted = toSentUser(desired);
  for (const create of sentCreates.length > 0 ? sentCreates : [wanted]) {
    const found = await findAccount(deps, context, toAccountKeys(create));
    if (found.kind === 'not-there') continue;
    const isEarlier = !isDeepStrictEqual(create, wanted);
    if (found.kind === 'found' && isEarlier) {
      const holder = await findUserByUpstreamId(deps.store.read, found.user.id);
      if (holder !== undefined && holder.id !== id && holder.origin !== null) continue;
    }
    return found;
  }
  return attempt(async () =>
    (await isBlind(deps, 'users'))
      ? { kind: 'could-not-look', problem: BLIND }
      : { kind: 'not-there' },
  );
}
