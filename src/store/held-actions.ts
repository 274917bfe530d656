import type { HeldAction, HeldKind } from '../domain/plan.ts';
import { chunks } from './chunks.ts';
import type { Db } from './store.ts';

/** A stored held action; ids rise in the order of the plan. */
export interface HeldRow extends HeldAction {
  readonly id: number;
}

/** Adds actions to the plan. */
export async function insertHeldActions(tx: Db, actions: readonly HeldAction[]): Promise<void> {
  const rows = actions.map((action) => ({
    resource_type: action.resourceType,
    resource_id: action.resourceId,
    kind: action.kind,
    field: action.field,
    member_id: action.memberId ?? null,
    precondition: action.precondition,
  }));
  for (const some of chunks(rows)) await tx.insertInto('held_actions').values(some).execute();
}

/** The next actions of the plan, after the one with this id. */
export async function listHeldActions(
  db: Db,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<HeldRow[]> {
  const rows = await db
    .selectFrom('held_actions')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ resource_type, resource_id, member_id, ...row }) => ({
    ...row,
    resourceType: resource_type,
    resourceId: resource_id,
    ...(member_id === null ? {} : { memberId: member_id }),
  }));
}

/** How many actions of each kind are held. */
export async function countHeldActions(db: Db): Promise<{ kind: HeldKind; count: number }[]> {
  return db
    .selectFrom('held_actions')
    .select((select) => ['kind', select.fn.countAll<number>().as('count')])
    .groupBy('kind')
    .orderBy('kind')
    .execute();
}

/** Forgets the actions up to this one. */
export async function deleteHeldActions(tx: Db, upToId: number): Promise<void> {
  await tx.deleteFrom('held_actions').where('id', '<=', upToId).execute();
}
