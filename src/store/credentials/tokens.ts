import { type Insertable, type Selectable, sql } from 'kysely';
import type { Purpose } from '../../domain/credential.ts';
import type { Schema, TokensTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A named token as stored: of its secret the digest alone. */
export type TokenRow = Selectable<TokensTable>;

/** Adds a token; false when a live one has its name. */
export async function insertToken(
  tx: Db,
  token: Omit<Insertable<TokensTable>, 'seq'>,
): Promise<boolean> {
  const insert = tx.insertInto('tokens').values(token);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

/** The token with this id, revoked or not. */
export async function findToken(db: Db, id: string): Promise<TokenRow | undefined> {
  return db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The live token with this name. */
export async function findTokenByName(db: Db, name: string): Promise<TokenRow | undefined> {
  const named = db.selectFrom('tokens').selectAll().where('name', '=', name);
  return named.where('revoked_at', 'is', null).executeTakeFirst();
}

/** Page of a list of tokens or clients. */
export interface AccessQuery {
  readonly state: 'live' | 'revoked' | undefined;
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Tokens or clients, the newest first; `live`: not revoked, expired or not. */
export async function listAccess<Table extends 'tokens' | 'clients'>(
  db: Db,
  table: Table,
  { state, beforeSeq, limit }: AccessQuery,
): Promise<Selectable<Schema[Table]>[]> {
  const isOf = { live: sql`and revoked_at is null`, revoked: sql`and revoked_at is not null` };
  const { rows } = await sql<Selectable<Schema[Table]>>`select * from ${sql.table(table)}
    where seq < ${beforeSeq} ${state === undefined ? sql`` : isOf[state]}
    order by seq desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Ends a token, a client or a secret for ever, with all that was got for it; the first time counts. `now` is epoch
 * milliseconds.
 */
export async function revokeAccess(
  tx: Db,
  table: 'tokens' | 'clients' | 'client_secrets',
  { id, now }: { readonly id: string; readonly now: number },
): Promise<void> {
  const live = tx.updateTable(table).set({ revoked_at: now }).where('id', '=', id);
  await live.where('revoked_at', 'is', null).execute();
}

/** Remembers when a credential (`token-…`, `client-…`) was last used; an earlier moment changes nothing. */
export async function noteUse(tx: Db, credentialId: string, at: number): Promise<void> {
  const [, kind, id] = /^(token|client)-(.+)$/.exec(credentialId) ?? [];
  if (id === undefined) return;
  await tx
    .updateTable(kind === 'token' ? 'tokens' : 'clients')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute();
}

/** Credential that is not revoked; it may have expired. */
export interface LiveCredential {
  readonly name: string;
  readonly purpose: Purpose | 'client';
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** Limit of listed credentials. */
const LIVE_MAX = 1_000;

/** Named tokens, secrets and clients without any that are not revoked, those that expire first at the beginning. */
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
  const trusted = await db
    .selectFrom('clients')
    .select('name')
    .where('trust', 'is not', null)
    .where('revoked_at', 'is', null)
    .orderBy('seq', 'desc')
    .limit(LIVE_MAX)
    .execute();
  const all: LiveCredential[] = [
    ...tokens.map(({ name, purpose, expires_at: expiresAt }) => ({ name, purpose, expiresAt })),
    ...secrets.map(({ name, expires_at: expiresAt }) => ({
      ...{ name, purpose: 'client' as const, expiresAt },
    })),
    ...trusted.map(({ name }) => ({ name, purpose: 'client' as const, expiresAt: null })),
  ];
  return all.toSorted((a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity));
}
