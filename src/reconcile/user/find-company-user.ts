import type { ObservedUser } from '../../domain/user.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Account to be found in the list of company users, and a text that it is searched by. */
export interface CompanySearch {
  readonly upstreamId: number;
  readonly text: string | undefined;
}

/**
 * Finds one user by a search, because the list of company users has no look at one user; undefined when the complete
 * answer does not show the account. @throws UpstreamError, `unreadable` for an answer that is not complete
 */
export async function findCompanyUser(
  { upstream, policy }: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  call: CallOptions,
  { upstreamId, text = '' }: CompanySearch,
): Promise<CompanyUser | undefined> {
  const query = { for_members_section: true, query: text };
  const options = { pageSize: policy.pageSize, ...call };
  const pages = paginate(upstream, companyUsers.getListOfUsers, { query }, options);
  for await (const { items } of pages) {
    const found = items.map(parseCompanyUser).find(({ id }) => id === upstreamId);
    if (found) return found;
  }
  const { result } = pages;
  if (result.complete) return undefined;
  throw new UpstreamError('unreadable', {
    operation: companyUsers.getListOfUsers.id,
    detail: `the list is incomplete: ${result.reason}`,
    retry: 'later',
    outcome: 'answered',
  });
}

/** Text by which the list of company users is searched for an account. */
export function toSearchText(observed: ObservedUser | undefined): string | undefined {
  return observed?.email ?? observed?.userName;
}
