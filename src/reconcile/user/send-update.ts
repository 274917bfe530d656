import type { UserState } from '../../domain/user.ts';
import type { UserActionOf } from '../../plan/actions.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Outcome } from '../outcome.ts';
import { parseUserOf, readBack, readUser } from '../read-back.ts';
import { classify } from '../verdict.ts';
import { toObservedUser } from './observe.ts';

/** Changes a user through SCIM, and reads the result. @throws UpstreamError */
export async function sendUpdate(
  { upstream }: ReconcileDeps,
  context: CallContext,
  { upstreamId, Operations }: { upstreamId: number; Operations: object[] },
): Promise<ScimUser> {
  const path = { user_id: upstreamId };
  const answer = await upstream.call(scim.updateUser, { path, body: { Operations } }, context);
  const look = () => upstream.call(scim.getUser, { path }, context);
  return parseUserOf(upstreamId, await readBack<unknown>(answer, look));
}

/** True when SCIM alone lets somebody in; where suspending deactivates, it is one of two switches. */
export function isOnlySwitch({ policy }: ReconcileDeps): boolean {
  return policy.deactivation === 'scim';
}

/**
 * Looks whether a refused change of access holds already: somebody else made it, and the service does not repeat it.
 * Undefined where it does not hold, or cannot be seen; then the refusal stands.
 */
export async function findActiveHeld(
  deps: ReconcileDeps,
  context: CallContext,
  {
    state,
    action: { upstreamId, active, name },
  }: { state: UserState; action: UserActionOf<'update-user'> },
): Promise<Outcome | undefined> {
  if (active === undefined || name !== undefined) return undefined;
  const { clock } = deps;
  try {
    const user = await readUser(deps, context, upstreamId);
    if (user.active !== active) return undefined;
    const observed = toObservedUser(user, state.observed, { at: clock.now(), by: scim.getUser.id });
    return { kind: 'done', known: { observed, doneFields: isOnlySwitch(deps) ? ['active'] : [] } };
  } catch (error) {
    classify(error);
    return undefined;
  }
}
