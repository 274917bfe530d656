import { type Selectable, sql } from 'kysely';
import { type ResourceKey, toResourceKey } from '../domain/ids.ts';
import { chunks } from './engine/dialect.ts';
import type { DueClass, UsersTable } from './schema.ts';
import type { Db } from './store.ts';

/** Every class of due work, the most urgent first. */
export const DUE_CLASSES: readonly DueClass[] = [0, 1, 2];

/** Which due work to list. */
interface DueQuery {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly classes: readonly DueClass[];
  readonly limit: number;
}

/** Work whose time has come. */
export interface DueWork {
  readonly key: ResourceKey;
  readonly dueClass: DueClass;
  /** As in the row. */
  readonly mustLook: number;
}

type DueRow = { id: string } & Pick<Selectable<UsersTable>, 'due_class' | 'due_at' | 'must_look'>;

/** Resources whose time has come: removal of access first, then the oldest. */
export async function listDue(db: Db, { now, classes, limit }: DueQuery): Promise<DueWork[]> {
  const due: (DueWork & { readonly dueAt: number })[] = [];
  for (const type of ['user', 'group'] as const) {
    const { rows } = await sql<DueRow>`
      select id, due_class, due_at, must_look from ${sql.table(type === 'user' ? 'users' : 'groups')}
      where due_at <= ${now} and due_class in (${sql.join(classes)})
      order by due_class, due_at limit ${limit}`.execute(db);
    for (const row of rows) {
      const key = toResourceKey({ type, id: row.id });
      due.push({ key, dueClass: row.due_class, mustLook: row.must_look, dueAt: row.due_at ?? 0 });
    }
  }
  due.sort((a, b) => a.dueClass - b.dueClass || a.dueAt - b.dueAt);
  return due.slice(0, limit);
}

/** Those of these resources that are to lose access now. */
export async function listDueRemovals(
  db: Db,
  keys: readonly ResourceKey[],
  now: number,
): Promise<ResourceKey[]> {
  const removals: ResourceKey[] = [];
  for (const type of ['user', 'group'] as const) {
    const ids = keys.flatMap((key) => (key.type === type ? [key.id] : []));
    for (const some of chunks(ids)) {
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(`${type}s`)}
        where id in (${sql.join(some)}) and due_class = 0 and due_at <= ${now}`.execute(db);
      const found = new Set(rows.map(({ id }) => id));
      removals.push(...keys.filter((key) => key.type === type && found.has(key.id)));
    }
  }
  return removals;
}

/** How many removals and changes are due now; those beyond `max` are not counted. */
export async function countDueChanges(db: Db, now: number, max: number): Promise<number> {
  const due = (table: 'users' | 'groups') => sql`select * from (select id from ${sql.table(table)}
    where due_class in (0, 1) and due_at <= ${now} limit ${max}) as ${sql.table(table)}`;
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from (${due('users')} union all ${due('groups')}) as due`.execute(db);
  return Math.min(rows[0]?.due ?? 0, max);
}

/** When the next work of these classes is due (epoch milliseconds), or undefined when nothing is. */
export async function findNextDueAt(
  db: Db,
  classes: readonly DueClass[] = DUE_CLASSES,
): Promise<number | undefined> {
  // Class by class, so that each is the first entry of an index and nothing else is read, however much is due.
  const firsts = classes.flatMap((dueClass) =>
    (['users', 'groups'] as const).map(
      (table) => sql`select min(due_at) as due_at from ${sql.table(table)}
        where due_at is not null and due_class = ${dueClass}`,
    ),
  );
  const { rows } = await sql<{ due_at: number | null }>`
    select min(due_at) as due_at from (${sql.join(firsts, sql` union all `)}) as due`.execute(db);
  return rows[0]?.due_at ?? undefined;
}

/** Table of a resource. */
export function tableOf(key: ResourceKey): 'users' | 'groups' {
  return key.type === 'user' ? 'users' : 'groups';
}
