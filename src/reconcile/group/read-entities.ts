import { type SeenEntities, seeEntities } from '../../domain/entity.ts';
import type { GroupField } from '../../domain/group.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { type GroupRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { BoundedWait } from '../bounded-wait.ts';
import type { ReconcileDeps } from '../deps.ts';
import { decideMerge } from '../merge-decision.ts';
import { lookUpEntities } from './read-admins.ts';

/** Reads the entities of a group, unless it is changed meanwhile. @throws BridgeError `could-not-look` */
export async function readEntities(
  deps: Pick<ReconcileDeps, 'upstream' | 'clock' | 'store'>,
  row: GroupRow,
  wait: BoundedWait,
): Promise<void> {
  const askedAt = deps.clock.now();
  const seen = await lookUpEntities(deps, row, wait);
  await deps.store.write(async (tx) => {
    const locked = await lockRow(tx, row);
    if (locked === undefined || decideMerge(locked, askedAt) !== 'merge') return;
    await saveEntities(tx, locked, seen);
  });
}

/** Stores the entities of a group as they were listed. */
export async function saveEntities(tx: Db, row: GroupRow, seen: SeenEntities): Promise<void> {
  const cells = seeEntities<GroupField>(parseCells(row), seen);
  await updateRow(tx, row, { entities: JSON.stringify(seen), cells: JSON.stringify(cells) });
}
