import { sql } from 'kysely';
import { lockUntilCommit } from '../commit-lock.ts';
import { readInChunks } from '../engine/dialect.ts';
import type { FormerIdsTable } from '../schema.ts';
import type { Db } from '../store.ts';
import { deleteWhere, insertAll, listWhere } from '../tables.ts';

/** An id by which an earlier SCIM server knew a user or group. */
type FormerId = Pick<FormerIdsTable, 'former_id' | 'resource_id'>;

/** Adds ids, also those of a deleted user or group. The caller holds the lock, and has found them to be free. */
export async function insertFormerIds(
  tx: Db,
  rows: readonly Omit<FormerIdsTable, 'seq'>[],
): Promise<void> {
  for (const [type, some] of Map.groupBy(rows, ({ resource_type }) => resource_type)) {
    const ids = some.map(({ former_id }) => former_id);
    await deleteWhere(tx, 'former_ids', { resource_type: type, former_id: ids });
  }
  // New rows, so that every process meets them.
  await insertAll(tx, 'former_ids', rows);
}

/** A resource that took the place of a deleted one, which was the same person or group. */
export interface Successor extends Pick<FormerIdsTable, 'resource_type' | 'provider'> {
  readonly from: string;
  readonly to: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Makes the ids of a deleted resource, its former ones too, those of its successor. */
export async function passIds(tx: Db, { from, to, now, ...same }: Successor): Promise<void> {
  // Until the transaction ends no id is given to two, or to an erased user.
  await lockUntilCommit(tx, 'former-ids');
  const { resource_type } = same;
  const rows = await listWhere(tx, 'former_ids', { resource_type, resource_id: from });
  const ids = [from, ...rows.map(({ former_id }) => former_id)];
  const toRow = (former_id: string) => ({ ...same, former_id, resource_id: to, created_at: now });
  await insertFormerIds(tx, ids.map(toRow));
}

/** Finds whose these ids are already: of an earlier server, unless their owner is gone, or the bridge's own. */
export async function findHolders(
  db: Db,
  type: 'user' | 'group',
  ids: readonly string[],
): Promise<Map<string, string>> {
  const held = await readInChunks(ids, async (some) => {
    const { rows } = await sql<FormerId>`
      select former_id, resource_id from former_ids
        where resource_type = ${type} and former_id in (${sql.join(some)})
        and resource_id in (select id from resources where deleted_at is null)
      union all select id as former_id, id as resource_id from resources where id in (${sql.join(some)}) and type = ${type}`.execute(
      db,
    );
    return rows;
  });
  return new Map(held.map(({ former_id, resource_id }) => [former_id, resource_id]));
}
