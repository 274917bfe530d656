import type { ObservedUser } from '../../domain/user.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';

/** Account to be found in the list of company users, and a text that it is searched by. */
export interface CompanySearch {
  readonly upstreamId: number;
  readonly text: string | undefined;
}

/**
 * Finds one user by a search, because the list of company users has no look at one user; undefined when it does not
 * show the account. @throws UpstreamError
 */
export async function findCompanyUser(
  { upstream, policy }: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  context: CallContext,
  { upstreamId, text = '' }: CompanySearch,
): Promise<CompanyUser | undefined> {
  const query = { for_members_section: true, query: text };
  const options = { pageSize: policy.pageSize, ...context };
  for await (const { items } of paginate(
    upstream,
    companyUsers.getListOfUsers,
    { query },
    options,
  )) {
    const found = items.map(parseCompanyUser).find(({ id }) => id === upstreamId);
    if (found) return found;
  }
  return undefined;
}

/** Text by which the list of company users is searched for an account. */
export function toSearchText(observed: ObservedUser | undefined): string | undefined {
  return observed?.email ?? observed?.userName;
}
