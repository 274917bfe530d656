import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import { judge } from '../verdict.ts';

/** The role value of an owner in the list of company users. */
const OWNER = 1;

/** Whether an account is an owner's, or why that could not be seen. */
export type AccountRole =
  | { readonly kind: 'known'; readonly isOwner: boolean }
  | { readonly kind: 'could-not-look'; readonly problem: Problem };

/**
 * Looks once whether an account that is about to be taken over is an owner's. Where the list of roles
 * is closed to us, the settings' protection stands alone.
 */
export async function readRole(
  deps: ReconcileDeps,
  context: CallContext,
  user: ScimUser,
): Promise<AccountRole> {
  const query = { for_members_section: true, query: user.emails[0] ?? user.userName ?? '' };
  try {
    const options = { pageSize: deps.policy.pageSize, ...context };
    for await (const page of paginate(
      deps.upstream,
      companyUsers.getListOfUsers,
      { query },
      options,
    )) {
      const found = page.items.map(parseCompanyUser).find(({ id }) => id === user.id);
      if (found) return { kind: 'known', isOwner: found.role === OWNER };
    }
    return { kind: 'known', isOwner: false };
  } catch (error) {
    const { verdict, problem } = judge(error);
    if (verdict === 'forbidden' || verdict === 'refused') return { kind: 'known', isOwner: false };
    return { kind: 'could-not-look', problem };
  }
}
