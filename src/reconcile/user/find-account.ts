import { foldCase } from '../../domain/fold.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import { judge } from '../verdict.ts';

/** By what an account is recognised, both folded. */
export interface AccountKeys {
  readonly userNameFolded: string;
  readonly emailFolded: string | undefined;
}

/** "Not there" is only ever said on the strength of a complete list. */
export type FoundAccount =
  | { readonly kind: 'found'; readonly user: ScimUser; readonly by: string }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'could-not-look'; readonly problem: Problem };

/**
 * Looks for an account in the service: by filter first, whose hits are compared in our own code because
 * the service may ignore the filter, then through the complete list.
 */
export async function findAccount(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount> {
  try {
    const byFilter = await findByFilter(deps, context, keys);
    return byFilter ?? (await findInList(deps, context, keys));
  } catch (error) {
    return { kind: 'could-not-look', problem: judge(error).problem };
  }
}

async function findByFilter(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<FoundAccount | undefined> {
  const filter = `userName eq ${JSON.stringify(keys.userNameFolded)}`;
  try {
    const list = await deps.upstream.call(scim.getUsers, { query: { filter } }, context);
    const matches = parseUsers(list).filter((user) => matchesKeys(user, keys));
    return matches.length > 0 ? toFound(matches) : undefined;
  } catch (error) {
    // A service that refuses filters is asked for the list instead.
    if (judge(error).verdict === 'refused') return undefined;
    throw error;
  }
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

function parseUsers(list: unknown): ScimUser[] {
  return parseScimList(list).items.map(parseScimUser);
}

function matchesKeys(user: ScimUser, { userNameFolded, emailFolded }: AccountKeys): boolean {
  const names = [user.userName, ...user.emails].flatMap((text) =>
    text === undefined ? [] : [foldCase(text)],
  );
  return (
    names.includes(userNameFolded) || (emailFolded !== undefined && names.includes(emailFolded))
  );
}
