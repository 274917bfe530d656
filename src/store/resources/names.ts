import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import { readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { listWhere, type Row } from '../tables.ts';
import { type ResourceRow, selectRows } from './rows.ts';

type ResourceType = ResourceRow['type'];

/** Columns of the names by which the service may call a user or group, beside its number: folded names, and ids as text. */
const NAMES = {
  user: { folded: ['observed_user_name_folded', 'observed_email_folded'], ids: [] },
  group: { folded: ['name_folded'], ids: ['upstream_scim_id', 'upstream_uid'] },
} as const;

/** Lists the names by which the service may call a user or group. */
export function listNames(row: ResourceRow): string[] {
  const { folded, ids } = NAMES[row.type];
  const names = ['upstream_id' as const, ...ids, ...folded].map((column) => row[column]);
  return names.flatMap((name) => (name === null ? [] : [String(name)]));
}

/** Users and groups by the texts that name them, as SCIM ids. */
export interface NamedResources {
  readonly user: ReadonlyMap<string, ReadonlySet<string>>;
  readonly group: ReadonlyMap<string, ReadonlySet<string>>;
  /** The SCIM ids of those that are managed. */
  readonly managed: ReadonlySet<string>;
}

/**
 * The users and groups, deleted and unmanaged ones too, that the service calls by one of these texts: an id, a
 * uid or a name. A user and a group may have the same number.
 */
export async function findNamed(db: Db, texts: ReadonlySet<string>): Promise<NamedResources> {
  const list = (type: ResourceType): Promise<ResourceRow[]> =>
    readInChunks([...texts], (some) => selectRows(db, type, isNamed(type, some)));
  const [users, groups] = [await list('user'), await list('group')];
  const managed = [...users, ...groups].filter(({ origin }) => origin !== null);
  return {
    user: gather(texts, users),
    group: gather(texts, groups),
    managed: new Set(managed.map(({ id }) => id)),
  };
}

function isNamed(type: ResourceType, some: readonly string[]): RawBuilder<unknown> {
  const { folded, ids } = NAMES[type];
  const numbers = some.filter((text) => /^\d{1,15}$/.test(text)).map(Number);
  const isIn = (columns: readonly string[], values: readonly unknown[]) =>
    columns.map((column) => sql`${sql.ref(column)} in (${sql.join(values)})`);
  const conditions = [
    // A list in SQL is never empty.
    ...isIn(['upstream_id'], [-1, ...numbers]),
    ...isIn(ids, some),
    ...isIn(folded, some.map(foldCase)),
  ];
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function gather(texts: ReadonlySet<string>, rows: readonly ResourceRow[]) {
  const byName = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const name of listNames(row))
      byName.set(name, (byName.get(name) ?? new Set()).add(row.id));
  }
  const byText = new Map<string, Set<string>>();
  for (const text of texts) {
    const ids = byName.get(text) ?? byName.get(foldCase(text));
    if (ids !== undefined) byText.set(text, ids);
  }
  return byText;
}

/** Names of the subjects of a row that is about a user or group, or about a user in a group; null where the store has them no more. */
export interface SubjectNames {
  readonly name: string | null;
  readonly member_name: string | null;
}

/** Columns and joins that add these names to a query; `row` is the alias of its rows. */
export function joinSubjectNames(row: string) {
  const id = (column: string) => sql.ref(`${row}.${column}`);
  return {
    columns: sql`named.name, member.name as member_name`,
    joins: sql`left join resources as named on named.id = ${id('resource_id')}
      left join resources as member on member.id = ${id('member_id')}`,
  };
}

interface Dispute {
  readonly type: 'user' | 'group';
  readonly nameFolded: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records a dispute once per name, counting repeats: an operator resolves it. True: it is new. */
export async function saveDispute(
  tx: Db,
  { type, nameFolded, reason, now }: Dispute,
): Promise<boolean> {
  const rows = await select<{ count: number }>(tx)`
    insert into disputes (resource_type, name_folded, reason, first_seen_at, last_seen_at, count)
    values (${type}, ${nameFolded}, ${reason}, ${now}, ${now}, 1)
    on conflict (resource_type, name_folded) do update set reason = excluded.reason,
      last_seen_at = excluded.last_seen_at, count = disputes.count + 1
    returning count`;
  return rows[0]?.count === 1;
}

/** Lists disputes, the latest first. */
export function listDisputes(db: Db, limit: number): Promise<Row<'disputes'>[]> {
  return listWhere(db, 'disputes', {}, { order: 'last_seen_at desc', limit });
}
