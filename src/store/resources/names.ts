import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import { readInChunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** Columns of the names by which the service may call a user or group: ids as text, and folded names. */
const COLUMNS = {
  user: { texts: [], names: ['observed_user_name_folded', 'observed_email_folded'] },
  group: { texts: ['upstream_scim_id', 'upstream_uid'], names: ['name_folded'] },
} as const;

/** A user or group with these names. */
interface Named {
  readonly id: string;
  readonly isManaged: boolean;
  readonly names: readonly string[];
  /** Id of the account, of a user who has one. */
  readonly account: number | undefined;
}

type NamedRow = Record<string, string | number | null> & { readonly id: string };

async function listNamed(
  db: Db,
  type: 'user' | 'group',
  which: RawBuilder<unknown>,
): Promise<Named[]> {
  const { texts, names } = COLUMNS[type];
  const columns = ['upstream_id', ...texts, ...names];
  const { rows } = await sql<NamedRow>`
    select id, origin, ${sql.join(columns.map((column) => sql.ref(column)))}
    from resources where type = ${sql.lit(type)} and ${which}`.execute(db);
  return rows.map(({ id, origin, ...row }) => ({
    id,
    isManaged: origin !== null,
    names: Object.values(row).flatMap((name) => (name === null ? [] : [String(name)])),
    account: typeof row.upstream_id === 'number' ? row.upstream_id : undefined,
  }));
}

/** Condition of a user or group that the service calls by one of these texts. */
function isNamed(type: 'user' | 'group', some: readonly string[]): RawBuilder<unknown> {
  const { texts, names } = COLUMNS[type];
  const ids = some.filter((text) => /^\d{1,15}$/.test(text)).map(Number);
  const isIn = (columns: readonly string[], values: readonly unknown[]) =>
    columns.map((column) => sql`${sql.ref(column)} in (${sql.join(values)})`);
  const conditions = [
    // A list in SQL is never empty.
    ...isIn(['upstream_id'], ids.length > 0 ? ids : [-1]),
    ...isIn(texts, some),
    ...isIn(names, some.map(foldCase)),
  ];
  return sql`(${sql.join(conditions, sql` or `)})`;
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
  const list = (type: 'user' | 'group') =>
    readInChunks([...texts], (some) => listNamed(db, type, isNamed(type, some)));
  const [users, groups] = [await list('user'), await list('group')];
  const managed = [...users, ...groups].filter(({ isManaged }) => isManaged);
  return {
    user: gather(texts, users, ({ id }) => id),
    group: gather(texts, groups, ({ id }) => id),
    managed: new Set(managed.map(({ id }) => id)),
  };
}

/** Finds the accounts of the users whom the service calls by these names. */
export async function findAccounts(
  db: Db,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const users = await readInChunks([...names], (some) =>
    listNamed(db, 'user', isNamed('user', some)),
  );
  return gather(names, users, ({ account }) => account);
}

/** Gathers by each text what is found under it. */
function gather<Value>(
  texts: ReadonlySet<string>,
  found: readonly Named[],
  toValue: (named: Named) => Value | undefined,
): Map<string, Set<Value>> {
  const byName = new Map<string, Set<Value>>();
  for (const named of found) {
    const value = toValue(named);
    if (value === undefined) continue;
    for (const name of named.names) byName.set(name, (byName.get(name) ?? new Set()).add(value));
  }
  const byText = new Map<string, Set<Value>>();
  for (const text of texts) {
    const values = byName.get(text) ?? byName.get(foldCase(text));
    if (values !== undefined) byText.set(text, values);
  }
  return byText;
}

/** Lists the names by which the service may call each of these users or groups, by their SCIM ids. */
export async function listNamesOf(
  db: Db,
  type: 'user' | 'group',
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const found = await readInChunks(ids, (some) =>
    listNamed(db, type, sql`id in (${sql.join(some)})`),
  );
  return new Map(found.map(({ id, names }) => [id, names]));
}

/** Names beside rows that are about a user or group, or about a user in a group. */
interface SubjectNames {
  /** `name` and `memberName`; null where the store has them no more. */
  readonly columns: RawBuilder<unknown>;
  readonly joins: RawBuilder<unknown>;
}

/** Columns and joins that add the names of the subjects to a query; `row` is the alias of its rows. */
export function joinSubjectNames(row: string): SubjectNames {
  const id = (column: string) => sql.ref(`${row}.${column}`);
  return {
    columns: sql`named.name, member.name as "memberName"`,
    joins: sql`left join resources as named on named.id = ${id('resource_id')}
      left join resources as member on member.id = ${id('member_id')}`,
  };
}
