import { sql } from 'kysely';
import { lockUntilCommit } from '../commit-lock.ts';
import { chunks, readInChunks } from '../engine/dialect.ts';
import type { FormerIdsTable } from '../schema.ts';
import type { Db, Part } from '../store.ts';

/** An id by which an earlier SCIM server knew a user or group. */
type FormerId = Pick<FormerIdsTable, 'former_id' | 'resource_id'>;

/** Waits until nobody else adds ids or erases: until the transaction ends none is given to two, or to an erased user. */
export async function lockFormerIds(tx: Db): Promise<void> {
  await lockUntilCommit(tx, 'former-ids');
}

/** Adds ids, also those of a deleted user or group. The caller holds the lock, and has found them to be free. */
export async function insertFormerIds(
  tx: Db,
  rows: readonly Omit<FormerIdsTable, 'seq'>[],
): Promise<void> {
  for (const some of chunks(rows)) {
    for (const [type, ofType] of Map.groupBy(some, ({ resource_type }) => resource_type)) {
      const ids = ofType.map(({ former_id }) => former_id);
      const held = tx.deleteFrom('former_ids').where('resource_type', '=', type);
      await held.where('former_id', 'in', ids).execute();
    }
    // A new row, so that every process meets it.
    await tx.insertInto('former_ids').values(some).execute();
  }
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
  await lockFormerIds(tx);
  const { resource_type } = same;
  const held = tx.selectFrom('former_ids').select('former_id').where('resource_id', '=', from);
  const rows = await held.where('resource_type', '=', resource_type).execute();
  const ids = [from, ...rows.map(({ former_id }) => former_id)];
  const toRow = (former_id: string) => ({ ...same, former_id, resource_id: to, created_at: now });
  await insertFormerIds(tx, ids.map(toRow));
}

/** Lists the ids that came after another one, in order of their coming. */
export async function listFormerIds(
  db: Db,
  { afterSeq, limit }: Part,
): Promise<(FormerId & { seq: number; resource_type: 'user' | 'group' })[]> {
  return db
    .selectFrom('former_ids')
    .select(['seq', 'resource_type', 'former_id', 'resource_id'])
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
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
