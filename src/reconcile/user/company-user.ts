import type { UserId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { findRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { isRoleUnknown, toObservedUser, toUserState } from '../../store/resources/state.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { paginate } from '../../upstream/paginate.ts';
import {
  type CompanyUser,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import { type BoundedWait, lookWithin } from '../bounded-wait.ts';
import type { ReconcileDeps } from '../deps.ts';
import { readSections } from '../sections.ts';
import { withCalls } from '../step-call.ts';
import { classify } from '../verdict.ts';
import { toObservedColumns } from './observe.ts';

/**
 * Reads the role of a person whom the list of company users never showed, before a provider takes the account over or
 * takes something from it: an owner is privileged.
 * @throws BridgeError `could-not-look` when the list could not be read: that is not an ordinary person
 */
export async function readRole(deps: ReconcileDeps, id: UserId, wait: BoundedWait): Promise<void> {
  const row = await findRow(deps.store.read, { type: 'user', id });
  if (row === undefined || !isRoleUnknown(row)) return;
  const { upstreamId, observed } = toUserState(row);
  if (upstreamId === undefined) return;
  const search = { upstreamId, text: toSearchText(observed) };
  const within = { waitMs: wait.waitMs, about: 'the role of the account' };
  const owner = await lookWithin(deps.clock, within, (signal) =>
    lookUpOwner(withCalls(deps, { class: wait.class, key: `user:${id}`, signal }), search),
  );
  await deps.store.write(async (tx) => {
    const locked = await lockRow(tx, { type: 'user', id });
    // A sweep may have been faster, or the account is another one now.
    if (locked?.upstream_id !== upstreamId || !isRoleUnknown(locked)) return;
    const known = toObservedUser(locked);
    if (known)
      await updateRow(tx, { type: 'user', id }, toObservedColumns(locked, { ...known, owner }));
  });
}

/**
 * Tells whether an account is an owner's. Where the list of company users is closed to us, nobody is known as one: the
 * protection of the settings stands alone. @throws UpstreamError
 */
export async function lookUpOwner(deps: ReconcileDeps, search: CompanySearch): Promise<boolean> {
  if ((await readSections(deps)).companyUsers?.problem) return false;
  try {
    return (await findCompanyUser(deps, search))?.role === OWNER_ROLE;
  } catch (error) {
    const { verdict } = classify(error);
    if (verdict === 'forbidden' || verdict === 'refused') return false;
    throw error;
  }
}

/** Account to be found in the list of company users, and a text that it is searched by. */
interface CompanySearch {
  readonly upstreamId: number;
  readonly text: string | undefined;
}

/**
 * Finds one user by a search, because the list of company users has no look at one user; undefined when the complete
 * answer does not show the account. @throws UpstreamError, `unreadable` for an answer that is not complete
 */
export async function findCompanyUser(
  { upstream, policy }: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  { upstreamId, text = '' }: CompanySearch,
): Promise<CompanyUser | undefined> {
  const query = { for_members_section: true, query: text };
  const pages = paginate(
    upstream,
    companyUsers.getListOfUsers,
    { query },
    {
      pageSize: policy.pageSize,
    },
  );
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
