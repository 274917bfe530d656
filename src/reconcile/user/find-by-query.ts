import { foldCase } from '../../domain/fold.ts';
import { countKnownAccounts } from '../../store/users/observations.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { judge } from '../verdict.ts';
import { type AccountKeys, matchesKeys } from './account-keys.ts';

/** A complete list of so many pages costs more than asking first whether somebody is there. */
const PAGES_WORTH_A_QUERY = 4;

/**
 * Accounts that the search of the company's members shows for an address, each confirmed by the account
 * itself. Nobody proves nothing: the search may be ignored, or hide inactive people. Asks only where that
 * may save a long list. @throws UpstreamError when the service could not be asked
 */
export async function findByQuery(
  deps: ReconcileDeps,
  context: CallContext,
  keys: AccountKeys,
): Promise<ScimUser[]> {
  const { pageSize } = deps.policy;
  const known = await countKnownAccounts(deps.store.read);
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
    const people = Array.isArray(answer) ? answer.map(parseCompanyUser) : [];
    return people.filter((person) => isCalled(person, text)).map(({ id }) => id);
  } catch (error) {
    return orNothing(error, []);
  }
}

function isCalled({ email, username }: CompanyUser, text: string): boolean {
  return [email, username].some((name) => name !== undefined && foldCase(name) === text);
}

async function findUser(
  { upstream }: ReconcileDeps,
  context: CallContext,
  id: number,
): Promise<ScimUser | undefined> {
  try {
    return parseScimUser(await upstream.call(scim.getUser, { path: { user_id: id } }, context));
  } catch (error) {
    return orNothing(error, undefined);
  }
}

/** A service that says no to this question is asked for the list instead. @throws the error otherwise */
function orNothing<T>(error: unknown, nothing: T): T {
  const { verdict } = judge(error);
  if (verdict === 'later' || verdict === 'unknown') throw error;
  return nothing;
}
