import { sql } from 'kysely';
import { type GivenKey, type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import { readInChunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

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
    const { rows } = await sql<Omit<ProgressRow, 'key' | 'oldestLink'> & GivenKey & Oldest>`
      select type, id, version, cells, due_at,
        (select min(pending) from links where group_id = resources.seq and pending is not null) as oldest
      from resources where id in (${ids})`.execute(db);
    return rows.map(({ type, id, oldest, ...row }) => {
      return { ...row, key: toResourceKey({ type, id }), oldestLink: oldest ?? undefined };
    });
  });
}

/** The oldest version that waits in the lists of a group; null: none waits. */
type Oldest = { readonly oldest: number | null };
