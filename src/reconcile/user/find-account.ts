import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import { judge } from '../verdict.ts';
import { type AccountKeys, matchesKeys } from './account-keys.ts';
import { findByQuery } from './find-by-query.ts';
import { askUsers, type Filter, proveUserFilter } from './prove-user-filter.ts';

/** "Not there" is only ever said on the strength of a proven filter or of a complete list. */
export type FoundAccount =
  | { readonly kind: 'found'; readonly user: ScimUser; readonly by: string }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'could-not-look'; readonly problem: Problem };

/**
 * Looks for an account in the service: by filter first, whose hits are compared in our own code because
 * the service may ignore the filter; where that proves nothing by the search of the company's members,
 * where that may save a long list; then through the complete list.
 */
export async function findAccount(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  try {
    const byFilter = await findByFilter(deps, context, keys);
    if (byFilter) return byFilter;
    const hits = await findByQuery(deps, context, keys);
    return hits.length > 0 ? toFound(hits) : await findInList(deps, context, keys);
  } catch (error) {
    return { kind: 'could-not-look', problem: judge(error).problem };
  }
}

/**
 * Looks through the complete list alone: for an account that the service says is there and that no
 * filter shows, because a filter may hide inactive people.
 */
export async function findAccountInList(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  try {
    return await findInList(deps, context, keys);
  } catch (error) {
    return { kind: 'could-not-look', problem: judge(error).problem };
  }
}

/** Undefined when the filter found nobody and that proves nothing. */
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
    // A service that refuses filters is asked for the list instead.
    if (judge(error).verdict === 'refused') return undefined;
    throw error;
  }
  if ((await proveUserFilter(deps, context)) !== 'proven') return undefined;
  const hits = await askFor(deps, context, { keys, filters: others });
  return hits.length > 0 ? toFound(hits) : { kind: 'not-there' };
}

/** Every way in which an account can match the keys, the likeliest first. */
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
  const pages = paginate(
    deps.upstream,
    scim.getUsers,
    {},
    {
      pageSize: deps.policy.pageSize,
      ...context,
    },
  );
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
  return { kind: 'found', user, by: scim.getUsers.id };
}
