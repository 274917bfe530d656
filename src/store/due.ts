import { sql } from 'kysely';
import type { Detector } from '../domain/drift.ts';
import { type GivenKey, type ResourceKey, toResourceKey } from '../domain/ids.ts';
import { readInChunks, select } from './engine/dialect.ts';
import type { ResourceRow } from './resources/rows.ts';
import type { DueClass } from './schema.ts';
import type { Db } from './store.ts';
import type { Row } from './tables.ts';

/** Every class of due work, the most urgent first. */
export const DUE_CLASSES: readonly DueClass[] = [0, 1, 2];

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
  const rows = await select<DueRow>(db)`
    select type, id, due_class from resources
    where due_at <= ${now} and due_class in (${sql.join(classes)})
    order by due_class, due_at limit ${limit}`;
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
  const rows = await select<{ due: number }>(db)`
    select count(*) as due from (select id from resources
      where due_class in (0, 1) and due_at <= ${now} limit ${max}) as due`;
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
  const rows = await select<{ due_at: number | null }>(db)`
    select min(due_at) as due_at from (${sql.join(firsts, sql` union all `)}) as due`;
  return rows[0]?.due_at ?? undefined;
}

/** Progress of a resource, as far as its row tells. */
export interface ProgressRow {
  readonly key: ResourceKey;
  readonly version: number;
  /** Cells, as JSON text. */
  readonly cells: string;
  /** The oldest version that waits among the users of a group. */
  readonly oldestLink: number | undefined;
  /** Epoch milliseconds. */
  readonly due_at: number | null;
}

/**
 * Lists the progress of these resources; one that is not there any more is left out. One statement, so that no change is
 * written between the two reads of a group.
 */
export async function listProgress(db: Db, keys: readonly ResourceKey[]): Promise<ProgressRow[]> {
  return readInChunks(keys, async (some) => {
    const ids = sql.join(some.map(({ id }) => id));
    const rows = await select<Omit<ProgressRow, 'key' | 'oldestLink'> & GivenKey & Oldest>(db)`
      select type, id, version, cells, due_at,
        (select min(pending) from links where group_id = resources.seq and pending is not null) as oldest
      from resources where id in (${ids})`;
    return rows.map(({ type, id, oldest, ...row }) => {
      return { ...row, key: toResourceKey({ type, id }), oldestLink: oldest ?? undefined };
    });
  });
}

type Oldest = { readonly oldest: number | null };

/** A user or group that is to be compared by itself. */
export type InspectionRow = ResourceRow & { readonly [Name in LookColumn]: Given[Name] };

type LookColumn = 'look_at' | 'look_since' | 'look_source';
type Given = { [Name in LookColumn]: NonNullable<Row<'resources'>[Name]> };

/** Reason to look at a user or group; times are epoch milliseconds. */
interface LookReason {
  readonly source: Detector;
  readonly now: number;
  /** When the look is due; absent: now. */
  readonly dueAt?: number;
  /** True: the admin list of a group is to be read too. */
  readonly admins?: boolean;
}

/**
 * Schedules a look at a user or group. Of two schedules the earlier time counts, and all that either reads is read.
 */
export async function addInspection(
  tx: Db,
  { id }: GivenKey,
  { source, now, dueAt = now, admins = false }: LookReason,
): Promise<void> {
  await sql`update resources set look_since = ${now},
      look_at = case when look_at < ${dueAt} then look_at else ${dueAt} end,
      look_source = coalesce(look_source, ${source}),
      look_admins = case when look_admins = 1 then 1 else ${admins ? 1 : 0} end
    where id = ${id}`.execute(tx);
}

/** Lists the subjects that are to be looked at by now, the longest waiting first. */
export async function listDueInspections(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<InspectionRow[]> {
  return select<InspectionRow>(db)`select * from resources
    where look_at <= ${now} order by look_at limit ${limit}`;
}

/** Makes every look due now that is scheduled after `beyond` (epoch milliseconds). */
export async function prioritiseInspections(
  tx: Db,
  { now, beyond }: { readonly now: number; readonly beyond: number },
): Promise<void> {
  await sql`update resources set look_at = ${now} where look_at > ${beyond}`.execute(tx);
}
