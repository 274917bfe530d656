import { isDeepStrictEqual } from 'node:util';
import type { SentCreate } from '../../domain/sent-create.ts';
import { type DesiredUser, toSentUser, type UserState } from '../../domain/user.ts';
import { findUserByUpstreamId } from '../../store/users/users.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toAccountKeys } from './account-keys.ts';
import { type FoundAccount, findAccount } from './find-account.ts';

/**
 * Looks for the account that a create may have left, by what each was sent with, whatever the person is called
 * by now. An account of an earlier name that is somebody else's by now is not it.
 */
export async function findCreated(
  deps: ReconcileDeps,
  context: CallContext,
  { id, desired, sentCreates }: UserState,
): Promise<FoundAccount> {
  const wanted = toSentUser(desired);
  for (const create of sentCreates.length > 0 ? sentCreates : [wanted]) {
    const found = await findAccount(deps, context, toAccountKeys(create));
    if (found.kind === 'not-there') continue;
    const isEarlier = !isDeepStrictEqual(create, wanted);
    if (found.kind === 'found' && isEarlier) {
      const holder = await findUserByUpstreamId(deps.store.read, found.user.id);
      if (holder !== undefined && holder.id !== id && holder.origin !== null) continue;
    }
    return found;
  }
  return { kind: 'not-there' };
}

/** Whether somebody was given another userName or address since their create left. */
export function isRenamedSince(desired: DesiredUser, sent: readonly SentCreate[]): boolean {
  const wanted = toSentUser(desired);
  return sent.length > 0 && !sent.some((create) => isDeepStrictEqual(create, wanted));
}
