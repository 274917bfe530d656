import { sql } from 'kysely';
import { listWaiting, onlyWaiting } from '../../domain/cell.ts';
import { type ChangeKind, FIELD_CHANGES, getChangeRow } from '../../domain/change.ts';
import { isEntityField } from '../../domain/entity.ts';
import type { GroupField } from '../../domain/group.ts';
import type { LinkKey } from '../../domain/link.ts';
import type { PlanAction } from '../../domain/plan.ts';
import type { UserField } from '../../domain/user.ts';
import { parseCells, waits } from '../engine/columns.ts';
import { select } from '../engine/dialect.ts';
import type { ResourceRow } from '../resources/rows.ts';
import type { Db } from '../store.ts';

/**
 * Ends everything that waits of managed resources, and marks what is known of them as stale, so that the next action on
 * one is a look. A difference is acted on from now on only where a write names it anew. Returns the changes that a field
 * or list may have waited for, without values: these are not known before the service was read.
 */
export async function holdEverything(tx: Db): Promise<PlanAction[]> {
  const held = await holdFields(tx);
  // A repair that waited is held like everything else.
  const repairing = tx.updateTable('drifts').where('status', '=', 'repairing');
  await repairing.set({ status: 'open', plan_id: null }).execute();
  // Whom the changes are about is read before they end.
  const rows = await select<LinkKey & { groupId: string; desired: number }>(tx)`
    select link.list, home.id as "groupId", person.id as "userId", link.desired
    from links as link join resources as home on home.seq = link.group_id join resources as person on person.seq = link.target
    where link.pending is not null order by link.list desc, link.group_id, link.target`;
  await sql`update links set pending = null, retry_at = null, attempts = 0
    where pending is not null`.execute(tx);
  for (const { list, groupId, userId, desired } of rows) {
    const kind = `${list}.${desired === 1 ? 'add' : 'remove'}` as const;
    held.push({ ...UNKNOWN, kind, type: 'group', resourceId: groupId, memberId: userId });
  }
  return held;
}

async function holdFields(tx: Db): Promise<PlanAction[]> {
  await sql`update resources set attempts = 0, failing_since = null, last_error = null,
    stuck_at = null, must_look = must_look + 1, due_at = null where origin is not null`.execute(tx);
  const rows = await select<Pick<ResourceRow, 'type' | 'id' | 'cells'>>(tx)`
    select type, id, cells from resources where origin is not null and ${waits('cells')}`;
  const held: PlanAction[] = [];
  for (const { type, id, ...row } of rows) {
    const cells = parseCells<UserField | GroupField>(row);
    for (const field of listWaiting(cells)) {
      const place = { type, resourceId: id, memberId: isEntityField(field) ? field : '' };
      held.push(...listKinds(field).map((kind) => ({ ...UNKNOWN, kind, ...place })));
    }
    const left = JSON.stringify(onlyWaiting(cells, []));
    await sql`update resources set cells = ${left} where id = ${id}`.execute(tx);
  }
  return held;
}

const UNKNOWN = { desired: null, observed: null, harm: undefined } as const;

/** Lists the changes by which a plan may have the service hold a field: userName and address are changed by none. */
function listKinds(field: UserField | GroupField): readonly ChangeKind[] {
  if (isEntityField(field)) return ['entity.add', 'entity.change', 'entity.remove'];
  const [on, off = on] = FIELD_CHANGES[field];
  return getChangeRow(on).repairs === undefined ? [] : [...new Set([on, off])];
}

/** Forgets the noted changes of which the service was not read, or that it holds already. */
export async function deleteUnknown(tx: Db, planId: string): Promise<void> {
  const unread = tx.deleteFrom('plan_actions').where('plan_id', '=', planId);
  await unread.where('desired', '=', 'null').where('observed', '=', 'null').execute();
}

/** Ends every plan that is not over: the store that it was made from is older than the service. */
export async function endAllPlans(
  tx: Db,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  const open = tx.selectFrom('plans').select('id').where('ended_at', 'is', null);
  await tx
    .updateTable('plan_actions')
    .set({ status: 'dropped' })
    .where('status', 'in', ['planned', 'released'])
    .where('plan_id', 'in', open)
    .execute();
  await tx
    .updateTable('plans')
    .set({ status: 'discarded', reason, decided_at: now, ended_at: now })
    .where('ended_at', 'is', null)
    .execute();
}
