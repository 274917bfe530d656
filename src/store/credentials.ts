import { join } from 'sql-template-tag';
import { DAY_MS } from '../domain/clock.ts';
import type { Purpose, Trust } from '../domain/credential.ts';
import type { LinkList } from '../domain/link.ts';
import type { ProviderTerms } from '../domain/provider.ts';
import { DEFAULT_PROVIDER, DEFAULT_TERMS } from '../domain/provider.ts';
import { isJsonObject } from '../domain/values.ts';
import { parseStored } from './engine/columns.ts';
import { execute, readInChunks, select } from './engine/dialect.ts';
import type { Db } from './store.ts';
import type { Insertable, NewestPart, Row } from './tables.ts';
import { findOne, listNewest, listWhere, updateWhere } from './tables.ts';

/** A credential as stored: of its secret the digest alone. */
export type CredentialRow = Row<'credentials'>;
/** A credential that is not revoked and was not used yet. */
export type NewCredential = Omit<Insertable<'credentials'>, 'seq' | 'revoked_at'>;

/** The credential with this id, revoked or not. */
export const findCredential = (db: Db, kind: CredentialRow['kind'], id: string) =>
  findOne(db, 'credentials', { kind, id });

/** The secrets of clients, the oldest first, those that are over too. */
export const listSecrets = (db: Db, clientIds: readonly string[]) =>
  listWhere(db, 'credentials', { kind: 'secret', owner: clientIds }, { order: 'seq' });

/** The token or client with this id, revoked or not, or the live one with this name; locked until the commit. */
export function lockCredential(tx: Db, kind: 'token' | 'client', idOrName: string) {
  const which = idOrName.startsWith(`${kind}-`)
    ? { kind, id: idOrName.slice(kind.length + 1) }
    : { kind, name: idOrName, revoked_at: null };
  return findOne(tx, 'credentials', which, { lock: true });
}

/** Page of a list of credentials. */
export type AccessQuery = NewestPart & { readonly state: 'live' | 'revoked' | undefined };

/** Tokens or clients, the newest first; `live`: not revoked, expired or not. */
export function listCredentials(db: Db, kind: 'token' | 'client', { state, ...part }: AccessQuery) {
  const revoked_at = state && (state === 'live' ? null : ({ '<>': null } as const));
  return listNewest(db, 'credentials', { kind, revoked_at }, part);
}

/** Reads what a client's assertions have to say; undefined where it has secrets. */
export const parseTrust = ({ proof }: Pick<CredentialRow, 'proof'>) =>
  proof === null ? undefined : parseStored<Trust>(proof);

/** Ends a token, a client or a secret for ever, with all that was got for it. `now` is epoch milliseconds. */
export async function revokeCredential(
  tx: Db,
  { kind, id }: Pick<CredentialRow, 'kind' | 'id'>,
  now: number,
): Promise<void> {
  const change = { revoked_at: now };
  await updateWhere(tx, 'credentials', { kind, id, revoked_at: null }, change);
  if (kind !== 'client' && kind !== 'secret') return;
  const from = kind === 'client' ? { owner: id } : { proof: id };
  await updateWhere(tx, 'credentials', { kind: 'access', ...from, revoked_at: null }, change);
}

/** Remembers when a credential was last used; an earlier moment changes nothing. @param credentialId `token-…`, `client-…` */
export async function noteUse(tx: Db, credentialId: string, at: number): Promise<void> {
  const [, kind = '', id = ''] = /^(\w+)-(.+)$/.exec(credentialId) ?? [];
  await execute(tx)`update credentials set last_used_at = ${at} where kind = ${kind} and id = ${id}
    and (last_used_at is null or last_used_at < ${at})`;
}

/** Credential that is not revoked; it may have expired (epoch milliseconds; null: it never does). */
export type LiveCredential = Pick<CredentialRow, 'name'> &
  Readonly<{ purpose: Purpose | 'client'; expiresAt: number | null }>;

const LIVE_MAX = 3_000;

/** Named tokens, secrets, and clients without secrets that are not revoked, those that expire first at the beginning. */
export const listLiveCredentials = (db: Db) =>
  select<LiveCredential>(db)`
    select c.name, c.expires_at as "expiresAt", case c.kind when 'token' then c.purpose else 'client' end as purpose
    from credentials as c
    left join credentials as client on client.kind = 'client' and client.id = c.owner
    where c.revoked_at is null and client.revoked_at is null
      and (c.kind in ('token', 'secret') or c.kind = 'client' and c.proof is not null)
    order by case when c.expires_at is null then 1 else 0 end, c.expires_at, c.seq desc limit ${LIVE_MAX}`;

/** Parses the terms of a stored provider; undefined: the default one, of which nothing was chosen. */
export const parseTerms = (row: Pick<Row<'providers'>, 'terms'> | undefined): ProviderTerms => ({
  ...DEFAULT_TERMS,
  ...(row && parseStored<Partial<ProviderTerms>>(row.terms)),
});

/** The terms of the provider of this name; nobody changes or deletes it until the transaction ends. */
export async function lockTerms(tx: Db, name: string): Promise<ProviderTerms | undefined> {
  const row = await findOne(tx, 'providers', { name }, { lock: 'share' });
  return row && parseTerms(row);
}

/** True for the default provider, and for one that is there until the transaction ends. */
export const isProvider = async (tx: Db, name: string) =>
  name === DEFAULT_PROVIDER || (await lockTerms(tx, name)) !== undefined;

/** Finds the terms of a provider. The default one has a row once something was chosen. */
export const findTerms = async (db: Db, name: string) =>
  parseTerms(await findOne(db, 'providers', { name }));

/** When a deleted user leaves the lists of groups by the grace of its provider (epoch milliseconds). */
export async function findGraceEnd(
  db: Db,
  { provider, deleted_at }: Pick<Row<'resources'>, 'provider' | 'deleted_at'>,
): Promise<number> {
  const { graceDays } = await findTerms(db, provider);
  return (deleted_at ?? 0) + graceDays * DAY_MS;
}

/** Finds what still belongs to a provider: credentials that are not revoked, managed people and groups, or a handover that waits. */
export async function findBelonging(
  tx: Db,
  name: string,
): Promise<{ kind: 'credentials' | 'users' | 'groups' | 'plan'; plan?: string } | undefined> {
  const given = { provider: name, kind: ['token', 'client'], revoked_at: null } as const;
  if (await findOne(tx, 'credentials', given)) return { kind: 'credentials' };
  const managed = { provider: name, origin: { '<>': null }, deleted_at: null } as const;
  const owned = await findOne(tx, 'resources', managed, { order: 'type desc' });
  if (owned) return { kind: `${owned.type}s` };
  const waiting = await findOne(tx, 'plans', { status: 'held', source: 'handover' });
  const planned = waiting && (await findOne(tx, 'plan_actions', { plan_id: waiting.id }));
  if (planned === undefined || !isJsonObject(planned.desired)) return undefined;
  const { provider } = planned.desired;
  return provider === name ? { kind: 'plan', plan: planned.plan_id } : undefined;
}

/** True if one of these people, new to the group, is not managed by this provider. @param added `group`: 0: none yet */
export async function addsOthers(
  tx: Db,
  provider: string,
  added: { readonly list: LinkList; readonly group: number; readonly userIds: readonly string[] },
): Promise<boolean> {
  const { list, group, userIds } = added;
  const read = (some: readonly string[]) => select(tx)`select 1 from resources as named
    where named.id in (${join(some)}) and named.deleted_at is null
      and (named.origin is null or named.provider <> ${provider})
      and not exists (select 1 from links as link where link.target = named.seq
        and link.group_id = ${group} and link.list = ${list}
        and coalesce(link.desired, link.observed) = 1)
    limit 1`;
  return (await readInChunks(userIds, read)).length > 0;
}
