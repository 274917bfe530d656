import { type Insertable, type Selectable, sql } from 'kysely';
import type { Purpose } from '../../domain/credential.ts';
import type { Trust } from '../../domain/trust.ts';
import { parseStored } from '../engine/columns.ts';
import type { CredentialsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A credential as stored: of its secret the digest alone. */
export type CredentialRow = Selectable<CredentialsTable>;
/** What a credential is. */
export type CredentialKind = CredentialRow['kind'];
/** A credential that is not revoked and was not used yet. */
export type NewCredential = Omit<Insertable<CredentialsTable>, 'seq' | 'revoked_at'>;

/** Adds a credential; undefined when a live one of its kind has its name. */
export async function insertCredential(
  tx: Db,
  row: NewCredential,
): Promise<CredentialRow | undefined> {
  const insert = tx.insertInto('credentials').values(row);
  return insert
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** The credential with this id, revoked or not. */
export async function findCredential(
  db: Db,
  kind: CredentialKind,
  id: string,
): Promise<CredentialRow | undefined> {
  const found = db.selectFrom('credentials').selectAll().where('kind', '=', kind);
  return found.where('id', '=', id).executeTakeFirst();
}

/**
 * The token or client with this id (`token-…`, `client-…`), revoked or not, or the live one with this name, locked until
 * the transaction ends.
 */
export async function lockCredential(
  tx: Db,
  kind: 'token' | 'client',
  idOrName: string,
): Promise<CredentialRow | undefined> {
  const found = tx.selectFrom('credentials').selectAll().where('kind', '=', kind).forUpdate();
  if (idOrName.startsWith(`${kind}-`)) {
    return found.where('id', '=', idOrName.slice(kind.length + 1)).executeTakeFirst();
  }
  return found.where('name', '=', idOrName).where('revoked_at', 'is', null).executeTakeFirst();
}

/** Page of a list of credentials. */
export interface AccessQuery {
  readonly state: 'live' | 'revoked' | undefined;
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Tokens or clients, the newest first; `live`: not revoked, expired or not. */
export async function listCredentials(
  db: Db,
  kind: 'token' | 'client',
  { state, beforeSeq, limit }: AccessQuery,
): Promise<CredentialRow[]> {
  const all = db
    .selectFrom('credentials')
    .selectAll()
    .where('kind', '=', kind)
    .where('seq', '<', beforeSeq);
  const wanted =
    state === undefined ? all : all.where('revoked_at', state === 'live' ? 'is' : 'is not', null);
  return wanted.orderBy('seq', 'desc').limit(limit).execute();
}

/** The secrets of clients, the oldest first, those that are over too. */
export async function listSecrets(db: Db, clientIds: readonly string[]): Promise<CredentialRow[]> {
  if (clientIds.length === 0) return [];
  const secrets = db.selectFrom('credentials').selectAll().where('kind', '=', 'secret');
  return secrets.where('owner', 'in', clientIds).orderBy('seq').execute();
}

/** Page of the list of sessions; times are epoch milliseconds. */
export interface SessionQuery {
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Sessions that were used after `usedAfter` and end after `now`, the newest first. */
export async function listSessions(
  db: Db,
  { beforeSeq, limit }: SessionQuery,
  { usedAfter, now }: { readonly usedAfter: number; readonly now: number },
): Promise<CredentialRow[]> {
  return db
    .selectFrom('credentials')
    .selectAll()
    .where('kind', '=', 'session')
    .where('seq', '<', beforeSeq)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', usedAfter)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** Reads what a client's assertions have to say; undefined where it has secrets. */
export function parseTrust({ proof }: Pick<CredentialRow, 'proof'>): Trust | undefined {
  return proof === null ? undefined : parseStored<Trust>(proof);
}

/**
 * Ends a token, a client or a secret for ever, with all that was got for it; the first time counts. `now` is epoch
 * milliseconds.
 */
export async function revokeCredential(
  tx: Db,
  { kind, id }: Pick<CredentialRow, 'kind' | 'id'>,
  now: number,
): Promise<void> {
  const live = tx
    .updateTable('credentials')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null);
  await live.where('kind', '=', kind).where('id', '=', id).execute();
  if (kind === 'client') await live.where('owner', '=', id).where('kind', '=', 'access').execute();
  if (kind === 'secret') await live.where('proof', '=', id).where('kind', '=', 'access').execute();
}

/** Deletes a session; false when there is none. */
export async function deleteSession(tx: Db, id: string): Promise<boolean> {
  const sessions = tx.deleteFrom('credentials').where('kind', '=', 'session');
  const { numDeletedRows } = await sessions.where('id', '=', id).executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

/** Remembers when a credential was last used; an earlier moment changes nothing. @param credentialId `token-…`, `client-…` */
export async function noteUse(tx: Db, credentialId: string, at: number): Promise<void> {
  const [, kind = '', id = ''] = /^(\w+)-(.+)$/.exec(credentialId) ?? [];
  await sql`update credentials set last_used_at = ${at} where kind = ${kind} and id = ${id}
    and (last_used_at is null or last_used_at < ${at})`.execute(tx);
}

/** Access tokens of one client, and sessions, that are kept at once; one more ends the oldest. */
const KEPT_MAX = 1_000;

/** Adds a session, or an access token of a client, and deletes the oldest if there are far too many. */
export async function insertPassing(tx: Db, row: NewCredential): Promise<CredentialRow> {
  const insert = tx.insertInto('credentials').values(row);
  const inserted = await insert.returningAll().executeTakeFirstOrThrow();
  const all = tx.selectFrom('credentials').select('seq').where('kind', '=', row.kind);
  const own = row.kind === 'access' ? all.where('owner', '=', row.owner ?? null) : all;
  const surplus = own.orderBy('seq', 'desc').offset(KEPT_MAX).limit(KEPT_MAX);
  await tx.deleteFrom('credentials').where('seq', 'in', surplus).execute();
  return inserted;
}

/** Credential that is not revoked; it may have expired. */
export interface LiveCredential {
  readonly name: string;
  readonly purpose: Purpose | 'client';
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** Limit of listed credentials. */
const LIVE_MAX = 3_000;

/** Named tokens, secrets, and clients without secrets that are not revoked, those that expire first at the beginning. */
export async function listLiveCredentials(db: Db): Promise<LiveCredential[]> {
  const { rows } = await sql<CredentialRow>`select c.* from credentials as c
    left join credentials as client on client.kind = 'client' and client.id = c.owner
    where c.revoked_at is null and client.revoked_at is null
      and (c.kind in ('token', 'secret') or c.kind = 'client' and c.proof is not null)
    order by c.seq desc limit ${LIVE_MAX}`.execute(db);
  return rows
    .map(({ kind, name, purpose, expires_at: expiresAt }) => {
      return { name, purpose: kind === 'token' ? purpose : ('client' as const), expiresAt };
    })
    .toSorted((a, b) => (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity));
}
