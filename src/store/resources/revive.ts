import { sql } from 'kysely';
import { onlyEchoes } from '../../domain/cell.ts';
import { onlyEntities } from '../../domain/entity.ts';
import { type GroupId, toResourceKey, type UserId } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { moveOwnCalls } from '../audit/own-calls.ts';
import { NOTHING_OPEN, parseCells, parseStored } from '../engine/columns.ts';
import { EVERYTHING_UNSURE, isInFlight, isUnsure, markInterrupted } from '../in-flight.ts';
import { leaveGroups, notifyGroupsOf } from '../links/work.ts';
import type { Db } from '../store.ts';
import {
  deleteRow,
  type GroupRow,
  getRow,
  type NewRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from './rows.ts';

/**
 * Makes a deleted user a new one, under another id: what the service holds of the deleted one stays known, and so does what
 * calls may still do. The deactivation is cancelled; departures from groups stand. `now` is epoch milliseconds.
 */
export async function reviveUser(
  tx: Db,
  row: UserRow,
  { id, ...columns }: NewRow<'user'>,
  now: number,
): Promise<UserRow> {
  await leaveGroups(tx, row.id, now);
  const open = await giveId(tx, row, { id, now });
  const cells = JSON.stringify(onlyEchoes(parseCells(row)));
  await updateRow(
    tx,
    { type: 'user', id },
    {
      ...{ ...open, cells, left_at: null, out_at: null, erased_at: null, seat_since: null },
      ...columns,
    },
  );
  // What waited for the deactivation waits for nothing now.
  await notifyGroupsOf(tx, id, now);
  return getRow(tx, { type: 'user', id });
}

/** Makes a deleted group a new one in the same way. */
export async function reviveGroup(
  tx: Db,
  row: GroupRow,
  { id, ...columns }: NewRow<'group'>,
  now: number,
): Promise<GroupRow> {
  const open = await giveId(tx, row, { id, now });
  const cells = JSON.stringify(onlyEntities(parseCells(row)));
  await updateRow(tx, { type: 'group', id }, { ...open, cells, ...columns });
  return getRow(tx, { type: 'group', id });
}

/** Gives a deleted row another id, by which nobody waits for it, and returns the columns with which it begins anew. */
async function giveId(
  tx: Db,
  row: ResourceRow,
  { id, now }: { readonly id: UserId | GroupId; readonly now: number },
) {
  const key = toResourceKey(row);
  // Whoever made the call that is on its way finds no row to record it in.
  if (isInFlight(row)) await markInterrupted(tx, key, now);
  await sql`update resources set id = ${id} where id = ${row.id}`.execute(tx);
  await moveOwnCalls(tx, [row.id], id);
  const mayExist = row.sent_creates !== '[]';
  return {
    ...NOTHING_OPEN,
    ...(isUnsure(row) && EVERYTHING_UNSURE),
    sent_creates: row.sent_creates,
    must_look: mayExist || isInFlight(row) ? 1 : row.must_look,
    version: row.version + 1,
    due_class: 1 as const,
    deleted_at: null,
  };
}

/** Joins deleted rows whose creates may have left something, as one; undefined: there is none. */
export async function joinLost<Row extends ResourceRow>(
  tx: Db,
  [row, ...others]: readonly Row[],
): Promise<Row | undefined> {
  if (row === undefined) return undefined;
  for (const other of others) {
    await moveOwnCalls(tx, [other.id], row.id);
    await deleteRow(tx, other);
  }
  const sent = [row, ...others].flatMap((one) => parseStored<SentCreate[]>(one.sent_creates));
  return { ...row, sent_creates: JSON.stringify(sent) };
}
