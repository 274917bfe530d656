import { sql } from 'kysely';
import { type GivenKey, type ResourceKey, toResourceKey } from '../domain/ids.ts';
import { readInChunks } from './engine/dialect.ts';
import type { ResourceRow } from './resources/rows.ts';
import type { DueClass } from './schema.ts';
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
}

type DueRow = Pick<ResourceRow, 'type' | 'id' | 'due_class'>;

/** Resources whose time has come: removal of access first, then the oldest. */
export async function listDue(db: Db, { now, classes, limit }: DueQuery): Promise<DueWork[]> {
  const { rows } = await sql<DueRow>`
    select type, id, due_class from resources
    where due_at <= ${now} and due_class in (${sql.join(classes)})
    order by due_class, due_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ key: toResourceKey(row), dueClass: row.due_class }));
}

/** Those of these resources that are to lose access now. */
export async function listDueRemovals(
  db: Db,
  keys: readonly ResourceKey[],
  now: number,
): Promise<ResourceKey[]> {
  const rows = await readInChunks(keys, async (some) => {
    const ids = sql.join(some.map(({ id }) => id));
    const found = await sql<GivenKey>`select type, id from resources
      where id in (${ids}) and due_class = 0 and due_at <= ${now}`.execute(db);
    return found.rows;
  });
  return rows.map(toResourceKey);
}

/** How many removals and changes are due now; those beyond `max` are not counted. */
export async function countDueChanges(db: Db, now: number, max: number): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from (select id from resources
      where due_class in (0, 1) and due_at <= ${now} limit ${max}) as due`.execute(db);
  return Number(rows[0]?.due ?? 0);
}

/** When the next work of these classes is due (epoch milliseconds), or undefined when nothing is. */
export async function findNextDueAt(
  db: Db,
  classes: readonly DueClass[] = DUE_CLASSES,
): Promise<number | undefined> {
  // Class by class, so that each is the first entry of an index and nothing else is read, however much is due.
  const firsts = classes.map(
    (dueClass) => sql`select min(due_at) as due_at from resources
      where due_at is not null and due_class = ${dueClass}`,
  );
  const { rows } = await sql<{ due_at: number | null }>`
    select min(due_at) as due_at from (${sql.join(firsts, sql` union all `)}) as due`.execute(db);
  return rows[0]?.due_at ?? undefined;
}
