import type { Purpose } from '../domain/credential.ts';
import type { Db } from './store.ts';

/** Something that lets somebody in and is not revoked; it may have expired. */
export interface LiveCredential {
  readonly name: string;
  readonly purpose: Purpose | 'client';
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** So many are told of. */
const LIVE_MAX = 1_000;

/** Named tokens and secrets of clients that are not revoked, those that expire first at the beginning. */
export async function listLiveCredentials(db: Db): Promise<LiveCredential[]> {
  const tokens = await db
    .selectFrom('tokens')
    .select(['name', 'purpose', 'expires_at'])
    .where('revoked_at', 'is', null)
    .orderBy('seq', 'desc')
    .limit(LIVE_MAX)
    .execute();
  const secrets = await db
    .selectFrom('client_secrets')
    .innerJoin('clients', 'clients.id', 'client_secrets.client_id')
    .select(['clients.name', 'client_secrets.expires_at'])
    .where('client_secrets.revoked_at', 'is', null)
    .where('clients.revoked_at', 'is', null)
    .orderBy('clients.seq', 'desc')
    .limit(LIVE_MAX)
    .execute();
  const all: LiveCredential[] = [
    ...tokens.map(({ name, purpose, expires_at: expiresAt }) => ({ name, purpose, expiresAt })),
    ...secrets.map(({ name, expires_at: expiresAt }) => ({
      ...{ name, purpose: 'client' as const, expiresAt },
    })),
  ];
  return all.toSorted((a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity));
}
