import { newId } from '../../domain/ids.ts';
import { findKnownAccount } from '../../store/resources/by-name.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { UserFilter } from '../quirks.ts';
import { classify } from '../verdict.ts';

/** Filter by which users are looked for. */
export interface Filter {
  readonly attribute: 'userName' | 'emails.value';
  readonly value: string;
}

/** Asks for users by a filter; the service may have ignored it. */
export async function askUsers(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  context: CallContext,
  { attribute, value }: Filter,
): Promise<ScimUser[]> {
  const filter = `${attribute} eq ${JSON.stringify(value)}`;
  const list = await upstream.call(scim.getUsers, { query: { filter } }, context);
  return parseScimList(list).items.map(parseScimUser);
}

/**
 * Proves that an empty answer to a filter means "not there": for userName and for addresses it must find exactly one
 * known account, written in other letters, and none for an unused value. Asked at most daily; undefined while there is
 * no account to try it with.
 * @throws UpstreamError when the service could not be asked.
 */
export async function proveUserFilter(
  deps: ReconcileDeps,
  context: CallContext,
): Promise<UserFilter | undefined> {
  const { userFilter } = deps.quirks.current();
  if (userFilter !== undefined) return userFilter;
  const known = await findKnownAccount(deps.store.read);
  if (known === undefined) return undefined;
  const { upstreamId, userNameFolded, emailFolded } = known;
  const isProven =
    (await finds(deps, context, { attribute: 'userName', value: userNameFolded, upstreamId })) &&
    (await finds(deps, context, { attribute: 'emails.value', value: emailFolded, upstreamId }));
  const proof: UserFilter = isProven ? 'proven' : 'refused';
  await deps.quirks.learn({ userFilter: proof, userFilterAt: deps.clock.now() });
  return proof;
}

async function finds(
  deps: ReconcileDeps,
  context: CallContext,
  { attribute, value, upstreamId }: Filter & { readonly upstreamId: number },
): Promise<boolean> {
  try {
    // The values are folded, so a filter that minds the case would overlook users.
    const found = await askUsers(deps, context, { attribute, value: value.toUpperCase() });
    if (found.length !== 1 || found[0]?.id !== upstreamId) return false;
    const nobody = `${newId()}@nobody.invalid`;
    return (await askUsers(deps, context, { attribute, value: nobody })).length === 0;
  } catch (error) {
    return orNothing(error, false);
  }
}

/**
 * Returns nothing for a question that is refused, by whatever status, so that the list is asked instead.
 * @throws the error where the service could not be asked
 */
export function orNothing<T>(error: unknown, nothing: T): T {
  const { verdict } = classify(error);
  if (verdict === 'later' || verdict === 'unknown') throw error;
  return nothing;
}
