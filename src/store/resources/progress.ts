import { sql } from 'kysely';
import {
  type GroupId,
  groupId,
  type ResourceKey,
  toResourceKey,
  userId,
} from '../../domain/ids.ts';
import { readInChunks } from '../engine/dialect.ts';
import type { LinkTable } from '../links/links.ts';
import type { Db } from '../store.ts';

/** Progress of a resource, as far as its row tells. */
export interface ProgressRow {
  readonly key: ResourceKey;
  readonly version: number;
  /** Cells, as JSON text. */
  readonly cells: string;
  /** The oldest version that waits among the users of a group. */
  readonly oldestLink: number | undefined;
  readonly in_flight: number;
  /** Epoch milliseconds. */
  readonly due_at: number | null;
}

const COLUMNS = ['id', 'version', 'cells', 'in_flight', 'due_at'] as const;

/** Lists the progress of these resources; one that is not there any more is left out. */
export async function listProgress(db: Db, keys: readonly ResourceKey[]): Promise<ProgressRow[]> {
  const users = keys.flatMap(({ type, id }) => (type === 'user' ? [userId(id)] : []));
  const found = await readInChunks(users, (some) =>
    db.selectFrom('users').select(COLUMNS).where('id', 'in', some).execute(),
  );
  const groups = keys.flatMap(({ type, id }) => (type === 'group' ? [groupId(id)] : []));
  return [
    ...found.map((row): ProgressRow => {
      const key = toResourceKey({ type: 'user', id: row.id });
      return { ...row, key, oldestLink: undefined };
    }),
    ...(await readInChunks(groups, (some) => listGroups(db, some))),
  ];
}

async function listGroups(db: Db, ids: readonly GroupId[]): Promise<ProgressRow[]> {
  // The groups are read before their links: a change written between the two reads has a version that the rows do not
  // cover.
  const rows = await db.selectFrom('groups').select(COLUMNS).where('id', 'in', ids).execute();
  const waiting = (table: LinkTable) => sql`select group_id, pending from ${sql.table(table)}
    where group_id in (${sql.join(ids)}) and pending is not null`;
  const links = await sql<{ group_id: GroupId; oldest: number }>`
    select group_id, min(pending) as oldest
    from (${waiting('memberships')} union all ${waiting('group_admins')}) as waiting
    group by group_id`.execute(db);
  const oldest = new Map(links.rows.map((link) => [link.group_id, link.oldest]));
  return rows.map((row) => {
    const key = toResourceKey({ type: 'group', id: row.id });
    return { ...row, key, oldestLink: oldest.get(row.id) };
  });
}

/** Place in the order of writing: the time of the last write (epoch milliseconds), and the number of the row. */
export interface WrittenPlace {
  readonly at: number;
  readonly seq: number;
}

/** User or group that was written, by its SCIM id. */
export interface Written extends WrittenPlace {
  readonly id: string;
}

/** Lists users or groups that were written after a place, deleted ones too, in the order of writing. */
export async function listWritten(
  db: Db,
  type: 'user' | 'group',
  { after, limit }: { readonly after: WrittenPlace; readonly limit: number },
): Promise<Written[]> {
  const { rows } = await sql<Written>`
    select id, modified_at as at, seq from ${sql.table(`${type}s`)}
    where (modified_at, seq) > (${after.at}, ${after.seq})
    order by modified_at, seq limit ${limit}`.execute(db);
  return rows;
}
