import type { Insertable, Selectable } from 'kysely';
import type { Trust } from '../../domain/trust.ts';
import { parseStored } from '../engine/columns.ts';
import { createPrune } from '../engine/prune.ts';
import type { AccessTokensTable, ClientSecretsTable, ClientsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A client as stored. */
export type ClientRow = Selectable<ClientsTable>;
/** Secret of a client as stored: the digest alone. */
export type SecretRow = Selectable<ClientSecretsTable>;

/** Adds a client; false when a live one has its name. */
export async function insertClient(
  tx: Db,
  client: Omit<Insertable<ClientsTable>, 'seq'>,
): Promise<boolean> {
  const insert = tx.insertInto('clients').values(client);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

/** The client with this id, locked until the transaction ends, so that it does not get two secrets at once. */
export async function lockClient(tx: Db, id: string): Promise<ClientRow | undefined> {
  return tx.selectFrom('clients').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The live client with this name, locked in the same way. */
export async function lockClientByName(tx: Db, name: string): Promise<ClientRow | undefined> {
  const named = tx.selectFrom('clients').selectAll().where('name', '=', name);
  return named.where('revoked_at', 'is', null).forUpdate().executeTakeFirst();
}

/** The secrets of clients, the oldest first, those that are over too. */
export async function listSecrets(db: Db, clientIds: readonly string[]): Promise<SecretRow[]> {
  if (clientIds.length === 0) return [];
  const secrets = db.selectFrom('client_secrets').selectAll().where('client_id', 'in', clientIds);
  return secrets.orderBy('created_at').orderBy('id').execute();
}

/** Adds a secret of a client. */
export async function insertSecret(tx: Db, secret: Insertable<ClientSecretsTable>): Promise<void> {
  await tx.insertInto('client_secrets').values(secret).execute();
}

/** The client with this id, revoked or not. */
export async function findClient(db: Db, id: string): Promise<ClientRow | undefined> {
  return db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads what a client's assertions have to say; undefined where it has secrets. */
export function parseTrust({ trust }: Pick<ClientRow, 'trust'>): Trust | undefined {
  return trust === null ? undefined : parseStored<Trust>(trust);
}

/** A secret with its client; `ended`: it or its client was revoked. */
export async function findSecret(db: Db, id: string) {
  return db
    .selectFrom('client_secrets')
    .innerJoin('clients', 'clients.id', 'client_secrets.client_id')
    .select([
      'client_secrets.id',
      'client_secrets.client_id',
      'client_secrets.digest',
      'client_secrets.expires_at',
      'client_secrets.revoked_at',
      'clients.revoked_at as client_revoked_at',
    ])
    .where('client_secrets.id', '=', id)
    .executeTakeFirst();
}

/** Remembers when a secret was last used. */
export async function noteSecretUse(tx: Db, id: string, at: number): Promise<void> {
  await tx.updateTable('client_secrets').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Limit of valid access tokens of one client; one more ends the oldest. */
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
    .leftJoin('client_secrets', 'client_secrets.id', 'access_tokens.secret_id')
    .select([
      'access_tokens.digest',
      'access_tokens.client_id',
      'access_tokens.expires_at',
      'clients.name',
      'clients.profile',
      'clients.provider',
    ])
    .where('access_tokens.id', '=', id)
    .where('clients.revoked_at', 'is', null)
    .where('client_secrets.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Forgets access tokens that have expired; returns how many. */
export const pruneAccessTokens = createPrune({
  ...({ table: 'access_tokens', key: 'id', at: 'expires_at', oldest: 'expires_at' } as const),
});
