import type { UserId } from '../../domain/ids.ts';
import { forgetLinksOf, moveLinks } from '../../store/links/observations.ts';
import { touchUsers } from '../../store/links/shown.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { deleteUser, findUserByUpstreamId, type UserRow } from '../../store/users/users.ts';
import type { Problem } from '../outcome.ts';
import type { UserKnown } from './outcome.ts';

/** Whether the account is now this user's, and how it came to be managed. */
export type LinkResult =
  | { readonly kind: 'linked'; readonly origin: Origin | null }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Makes the account that a step found or created this user's. An account has at most one live user: one
 * that was only observed meanwhile is merged into this one, one that is managed or an owner's is not.
 */
export async function linkAccount(
  tx: Db,
  row: UserRow,
  known: UserKnown,
  now: number,
): Promise<LinkResult> {
  const { upstreamId, adopted, observed } = known;
  if (upstreamId === undefined) return { kind: 'linked', origin: row.origin };
  const holder = await findUserByUpstreamId(tx, upstreamId);
  if (holder !== undefined && holder.id !== row.id) {
    if (holder.origin !== null) return refuse('another user is already linked to this account');
    if (adopted && holder.owner === 1) return refuse('the account is an owner of the company');
    await moveLinks(tx, holder.id, row.id);
    await deleteUser(tx, holder.id);
    await touchUsers(tx, [row.id], now);
  }
  if (adopted && observed?.owner) return refuse('the account is an owner of the company');
  return { kind: 'linked', origin: adopted ? 'adopted' : (row.origin ?? 'created') };
}

/** The account is gone: nobody is in any group any more, and whoever is wanted waits to be put back. */
export async function unlinkAccount(tx: Db, id: UserId, now: number): Promise<void> {
  await forgetLinksOf(tx, id);
  await touchUsers(tx, [id], now);
}

function refuse(words: string): LinkResult {
  return { kind: 'refused', problem: { code: 'conflict', words } };
}
