import { sql } from 'kysely';
import { onlyEchoes } from '../../domain/cell.ts';
import { onlyEntities } from '../../domain/entity.ts';
import { type ResourceKey, userId } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { NOTHING_OPEN, parseCells, parseStored } from '../engine/columns.ts';
import { leaveGroups, notifyGroupsOf } from '../links/of-users.ts';
import type { Db } from '../store.ts';
import { updateWhere } from '../tables.ts';
import { deleteRow, getRow, type NewRow, type ResourceRow, type RowOf, updateRow } from './rows.ts';

/**
 * Makes a deleted user or group a new one, under another id, by which nobody waits for it: what the service holds of the
 * deleted one stays known, and so does what calls may still do. The deactivation is cancelled; departures from groups
 * stand. `now` is epoch milliseconds.
 */
export async function revive<Type extends ResourceKey['type']>(
  tx: Db,
  row: ResourceRow,
  { id, type, ...columns }: NewRow<Type>,
  now: number,
): Promise<RowOf<Type>> {
  const isUser = row.type === 'user';
  if (isUser) await leaveGroups(tx, row.id, now);
  await sql`update resources set id = ${id} where id = ${row.id}`.execute(tx);
  await updateWhere(tx, 'own_calls', { resource_id: row.id }, { resource_id: id });
  const cells = isUser ? onlyEchoes(parseCells(row)) : onlyEntities(parseCells(row));
  const mayExist = row.sent_creates !== '[]';
  await updateRow(
    tx,
    { type, id },
    {
      ...NOTHING_OPEN,
      cells: JSON.stringify(cells),
      sent_creates: row.sent_creates,
      // A call that is on its way finds no row of its id to record its outcome in.
      must_look: Math.max(row.must_look, mayExist ? 1 : 0),
      unsure_until: row.unsure_until,
      version: row.version + 1,
      due_class: 1,
      deleted_at: null,
      left_at: null,
      out_at: null,
      erased_at: null,
      seat_since: null,
      ...columns,
    },
  );
  // What waited for the deactivation waits for nothing now.
  if (isUser) await notifyGroupsOf(tx, userId(id), now);
  return getRow(tx, { type, id });
}

/** Joins deleted rows whose creates may have left something, as one; undefined: there is none. */
export async function joinLost<Row extends ResourceRow>(
  tx: Db,
  [row, ...others]: readonly Row[],
): Promise<Row | undefined> {
  if (row === undefined) return undefined;
  for (const other of others) {
    await updateWhere(tx, 'own_calls', { resource_id: other.id }, { resource_id: row.id });
    await deleteRow(tx, other);
  }
  const sent = [row, ...others].flatMap((one) => parseStored<SentCreate[]>(one.sent_creates));
  const until = Math.max(...[row, ...others].map(({ unsure_until }) => unsure_until ?? 0));
  return { ...row, sent_creates: JSON.stringify(sent), unsure_until: until === 0 ? null : until };
}
