import { sql } from 'kysely';
import { type GivenKey, type ResourceKey, toResourceKey } from '../../domain/ids.ts';
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

/**
 * Lists the progress of these resources; one that is not there any more is left out. One statement, so that no change is
 * written between the two reads of a group.
 */
export async function listProgress(db: Db, keys: readonly ResourceKey[]): Promise<ProgressRow[]> {
  const oldest = (list: LinkTable) => sql`(select min(pending) from ${sql.table(list)}
    where group_id = resources.id and pending is not null)`;
  return readInChunks(keys, async (some) => {
    const ids = sql.join(some.map(({ id }) => id));
    const { rows } = await sql<StoredProgress>`
      select type, id, version, cells, in_flight, due_at,
        ${oldest('memberships')} as member, ${oldest('group_admins')} as admin
      from resources where id in (${ids})`.execute(db);
    return rows.map(({ type, id, member, admin, ...row }) => {
      const links = [member, admin].filter((version) => version !== null);
      const oldestLink = links.length === 0 ? undefined : Math.min(...links);
      return { ...row, key: toResourceKey({ type, id }), oldestLink };
    });
  });
}

interface StoredProgress extends Omit<ProgressRow, 'key' | 'oldestLink'>, GivenKey {
  /** Oldest versions that wait in the lists of a group. */
  readonly member: number | null;
  readonly admin: number | null;
}
