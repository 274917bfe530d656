import type { Selectable } from 'kysely';
import type { AccessTokensTable } from './schema.ts';
import type { Db } from './store.ts';

/** So many access tokens of one client are valid at once; one more ends the oldest. */
const TOKENS_MAX = 1_000;

/** Adds an access token, and forgets the oldest of a client that has far too many. */
export async function insertAccessToken(
  tx: Db,
  token: Selectable<AccessTokensTable>,
): Promise<void> {
  await tx.insertInto('access_tokens').values(token).execute();
  const surplus = tx
    .selectFrom('access_tokens')
    .select('id')
    .where('client_id', '=', token.client_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(TOKENS_MAX)
    .limit(TOKENS_MAX);
  await tx.deleteFrom('access_tokens').where('id', 'in', surplus).execute();
}

/** The access token with this id and the name of its client, unless the client or the secret was revoked. */
export async function findAccessToken(db: Db, id: string) {
  return db
    .selectFrom('access_tokens')
    .innerJoin('clients', 'clients.id', 'access_tokens.client_id')
    .innerJoin('client_secrets', 'client_secrets.id', 'access_tokens.secret_id')
    .select([
      'access_tokens.digest',
      'access_tokens.client_id',
      'access_tokens.expires_at',
      'clients.name',
    ])
    .where('access_tokens.id', '=', id)
    .where('clients.revoked_at', 'is', null)
    .where('client_secrets.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Forgets at most `limit` access tokens that expired before `before` (epoch milliseconds); returns how many. */
export async function pruneAccessTokens(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const old = tx.selectFrom('access_tokens').select('id').where('expires_at', '<', before);
  const some = old.orderBy('expires_at').limit(limit);
  const result = await tx.deleteFrom('access_tokens').where('id', 'in', some).executeTakeFirst();
  return Number(result.numDeletedRows);
}
