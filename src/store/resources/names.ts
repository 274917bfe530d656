import sql, { empty, join } from 'sql-template-tag';
import type { Owned } from '../../domain/provider.ts';
import { literal, lockUntilCommit, readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { Row } from '../tables.ts';
import { deleteWhere, insertAll, listWhere } from '../tables.ts';
import type { ResourceType, RowOf } from './rows.ts';

/** A user or group as others are shown it, by its userName or displayName. */
export type Named<Id extends string = string> = Owned & {
  readonly id: Id;
  readonly display: string;
};

/** Finds the users and groups with these ids, deleted or not, or those of a type that are not deleted. */
export async function findNames<Type extends ResourceType>(
  db: Db,
  ids: readonly string[],
  live?: Type,
) {
  const isMeant = live ? sql`and type = ${literal(live)} and deleted_at is null` : empty;
  const read = (some: readonly string[]) =>
    select<Named<RowOf<Type>['id']>>(db)`select id, name as display, origin, provider
      from resources where id in (${join(some)}) ${isMeant}`;
  const rows = await readInChunks(ids, read);
  return new Map<string, (typeof rows)[number]>(rows.map((row) => [row.id, row]));
}

/** Records a dispute once per name, counting repeats: an operator resolves it. True: it is new. */
export async function saveDispute(
  tx: Db,
  dispute: Pick<Row<'disputes'>, 'resource_type' | 'name_folded' | 'reason'>,
  now: number,
): Promise<boolean> {
  const rows = await insertAll(
    tx,
    'disputes',
    [{ ...dispute, first_seen_at: now, last_seen_at: now, count: 1 }],
    sql`on conflict (resource_type, name_folded) do update set reason = excluded.reason,
      last_seen_at = excluded.last_seen_at, count = disputes.count + 1`,
  );
  return rows[0]?.count === 1;
}

/** Adds ids, also those of a deleted user or group. The caller holds the lock, and has found them to be free. */
export async function insertFormerIds(tx: Db, rows: readonly Omit<Row<'former_ids'>, 'seq'>[]) {
  for (const [resource_type, some] of Map.groupBy(rows, (row) => row.resource_type)) {
    const former_id = some.map((row) => row.former_id);
    await deleteWhere(tx, 'former_ids', { resource_type, former_id });
  }
  // New rows, so that every process meets them.
  await insertAll(tx, 'former_ids', rows);
}

/** Gives the ids of a deleted resource to the one that took its place. `now` is epoch milliseconds. */
export async function passIds(
  tx: Db,
  { from, ...owner }: Omit<Row<'former_ids'>, 'seq' | 'former_id'> & { readonly from: string },
): Promise<void> {
  // Until the transaction ends no id is given to two, or to an erased user.
  await lockUntilCommit(tx, 'former-ids');
  const had = { resource_type: owner.resource_type, resource_id: from };
  const rows = await listWhere(tx, 'former_ids', had);
  const ids = [from, ...rows.map((row) => row.former_id)].map((former_id) => ({
    ...owner,
    former_id,
  }));
  await insertFormerIds(tx, ids);
}

/** Finds whose these ids are already: of an earlier server, unless their owner is gone, or the bridge's own. */
export async function findHolders(db: Db, type: ResourceType, ids: readonly string[]) {
  const read = (some: readonly string[]) =>
    select<Pick<Row<'former_ids'>, 'former_id' | 'resource_id'>>(db)`
      select former_id, resource_id from former_ids
        where resource_type = ${type} and former_id in (${join(some)})
        and resource_id in (select id from resources where deleted_at is null)
      union all select id, id from resources where id in (${join(some)}) and type = ${type}`;
  const rows = await readInChunks(ids, read);
  return new Map(rows.map((row) => [row.former_id, row.resource_id]));
}
