import { sql } from 'kysely';
import type { LinkList } from '../../domain/link.ts';
import {
  DEFAULT_HANDLING,
  DEFAULT_PROVIDER,
  type Handling,
  type ProviderLimits,
  type Right,
} from '../../domain/provider.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks, forUpdate, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { findOne, type Row } from '../tables.ts';

/** A provider as stored. */
export type ProviderRow = Row<'providers'>;

/** The provider of this name; nobody changes or deletes it until the transaction ends. */
export async function findProvider(tx: Db, name: string): Promise<ProviderRow | undefined> {
  const lock = forUpdate(tx, 'share');
  return (await select<ProviderRow>(tx)`select * from providers where name = ${name} ${lock}`)[0];
}

/** True for the default provider, and for one that is there until the transaction ends. */
export async function isProvider(tx: Db, name: string): Promise<boolean> {
  return name === DEFAULT_PROVIDER || (await findProvider(tx, name)) !== undefined;
}

/** Finds how the requests of a provider are taken. The default one has a row once something was chosen. */
export async function findHandling(db: Db, name: string): Promise<Handling> {
  return parseHandling(await findOne(db, 'providers', { name }));
}

/** Parses how the requests of a stored provider are taken. */
export function parseHandling(row: Pick<ProviderRow, 'handling'> | undefined): Handling {
  return { ...DEFAULT_HANDLING, ...(row && parseStored<Partial<Handling>>(row.handling)) };
}

/** The columns that hold limits. */
export function toLimitColumns({ domains, groupNames, may }: ProviderLimits) {
  const toText = (list: readonly string[] | null) => (list === null ? null : JSON.stringify(list));
  return { domains: toText(domains), group_names: toText(groupNames), may: JSON.stringify(may) };
}

/** Parses the limits of a stored provider. */
export function parseLimits({
  domains,
  group_names: groupNames,
  may,
}: Pick<ProviderRow, 'domains' | 'group_names' | 'may'>): ProviderLimits {
  return {
    domains: domains === null ? null : parseStored<string[]>(domains),
    groupNames: groupNames === null ? null : parseStored<string[]>(groupNames),
    may: parseStored<Right[]>(may),
  };
}

/** Kind of what still belongs to a provider. */
export type Belonging = 'credentials' | 'users' | 'groups';

/** Finds what still belongs to a provider: credentials that are not revoked, or managed people and groups. */
export async function findBelonging(tx: Db, name: string): Promise<Belonging | undefined> {
  const given = { provider: name, kind: ['token', 'client'], revoked_at: null } as const;
  if (await findOne(tx, 'credentials', given)) return 'credentials';
  const managed = { provider: name, origin: { '<>': null }, deleted_at: null } as const;
  if (await findOne(tx, 'resources', { ...managed, type: 'user' })) return 'users';
  return (await findOne(tx, 'resources', managed)) && 'groups';
}

/** Additions to a list of a group. */
export interface Additions {
  readonly list: LinkList;
  /** Number of the group; 0: there is none yet. */
  readonly group: number;
  readonly userIds: readonly string[];
}

/** True when one of these people who are not in the list yet is not managed by this provider. */
export async function addsOthers(
  tx: Db,
  provider: string,
  { list, group, userIds }: Additions,
): Promise<boolean> {
  for (const chunk of chunks(userIds)) {
    const rows = await select(tx)`select 1 from resources as named
      where named.id in (${sql.join(chunk)}) and named.deleted_at is null
        and (named.origin is null or named.provider <> ${provider})
        and not exists (select 1 from links as link where link.target = named.seq
          and link.group_id = ${group} and link.list = ${list} and coalesce(link.desired, link.observed) = 1)
      limit 1`;
    if (rows.length > 0) return true;
  }
  return false;
}
