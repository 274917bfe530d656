import { sql } from 'kysely';
import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
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

/**
 * Lists the progress of these resources; one that is not there any more is left out. One statement, so that no change is
 * written between the two reads of a group.
 */
export async function listProgress(db: Db, keys: readonly ResourceKey[]): Promise<ProgressRow[]> {
  const oldest = (list: LinkTable) => sql`(select min(pending) from ${sql.table(list)}
    where group_id = groups.id and pending is not null)`;
  const select = (type: ResourceKey['type'], ids: readonly string[]) => sql`
    select id, version, cells, in_flight, due_at,
      ${type === 'user' ? sql`cast(null as bigint)` : oldest('memberships')} as member,
      ${type === 'user' ? sql`cast(null as bigint)` : oldest('group_admins')} as admin
    from ${sql.table(`${type}s`)} where id in (${sql.join(ids)})`;
  const found: ProgressRow[] = [];
  for (const type of ['user', 'group'] as const) {
    const ids = keys.flatMap((key) => (key.type === type ? [key.id] : []));
    for (const some of chunks(ids)) {
      const { rows } = await sql<StoredProgress>`${select(type, some)}`.execute(db);
      for (const { id, member, admin, ...row } of rows) {
        const links = [member, admin].filter((version) => version !== null);
        const oldestLink = links.length === 0 ? undefined : Math.min(...links);
        found.push({ ...row, key: toResourceKey({ type, id }), oldestLink });
      }
    }
  }
  return found;
}

interface StoredProgress extends Omit<ProgressRow, 'key' | 'oldestLink'> {
  readonly id: string;
  /** Oldest versions that wait in the lists of a group. */
  readonly member: number | null;
  readonly admin: number | null;
}
