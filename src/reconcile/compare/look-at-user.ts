import type { ObservedUser } from '../../domain/user.ts';
import { toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallContext } from '../deps.ts';
import { observeCompanyUser } from '../read/read-company-users.ts';
import { lookAtUser } from '../user/apply.ts';
import { toObservedColumns } from '../user/observe.ts';
import { judge } from '../verdict.ts';
import type { SweepRun } from './run.ts';
import type { LookNeeds, Sighting } from './sighting.ts';

/** Looks at one person: by SCIM, and at licences and suspensions where they are asked for. */
export async function lookAtUserAgain(
  { deps, signal }: Pick<SweepRun, 'deps' | 'signal'>,
  row: UserRow,
  needs: LookNeeds,
): Promise<Sighting<UserRow>> {
  const state = toUserState(row);
  const context = { class: 'look', key: `user:${row.id}`, signal } as const;
  const { upstreamId } = state;
  const reason = 'seen to differ in a list';
  const action = { kind: 'look-at-user', upstreamId, reason } as const;
  const outcome = await lookAtUser(deps, context, { state, action });
  if (outcome.kind !== 'done') return { kind: 'could-not-look', reason: outcome.problem.code };
  if (outcome.known.missing) return { kind: 'gone' };
  let { observed } = outcome.known;
  if (observed === undefined) return { kind: 'could-not-look', reason: 'not-found' };
  if (needs.companyUser) {
    const found = await findCompanyUser({ deps, signal }, context, { observed, upstreamId });
    if (found === undefined) return { kind: 'could-not-look', reason: 'companyUsers' };
    observed = observeCompanyUser(found, observed, deps.clock.now());
  }
  const columns = toObservedColumns(row, observed);
  return { kind: 'seen', store: (tx, { id }) => updateUser(tx, id, columns) };
}

/** The list of company users knows no look at one person, only a search. */
async function findCompanyUser(
  { deps }: Pick<SweepRun, 'deps' | 'signal'>,
  context: CallContext,
  { observed, upstreamId }: { observed: ObservedUser; upstreamId: number | undefined },
): Promise<CompanyUser | undefined> {
  const query = { for_members_section: true, query: observed.email ?? observed.userName ?? '' };
  const options = { pageSize: deps.policy.pageSize, ...context };
  const list = companyUsers.getListOfUsers;
  try {
    for await (const { items } of paginate(deps.upstream, list, { query }, options)) {
      const found = items.map(parseCompanyUser).find(({ id }) => id === upstreamId);
      if (found) return found;
    }
    return undefined;
  } catch (error) {
    judge(error);
    return undefined;
  }
}
