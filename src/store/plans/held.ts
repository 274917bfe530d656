import { sql } from 'kysely';
import type { HeldAction, HeldKind } from '../../domain/plan.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks } from '../engine/dialect.ts';
import { LINK_TABLES } from '../links/links.ts';
import { joinSubjectNames } from '../resources/names.ts';
import type { Db } from '../store.ts';

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

/** Counts held actions of each kind. */
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

/** A held action with the names of its users and groups. */
export interface HeldView {
  readonly kind: HeldKind;
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string | null;
  readonly memberId: string | null;
  readonly memberName: string | null;
}

/** The first actions of the plan, for an operator. */
export async function listHeldViews(db: Db, limit: number): Promise<HeldView[]> {
  const names = joinSubjectNames('held');
  const { rows } = await sql<HeldView>`
    select held.kind, held.resource_type as type, held.resource_id as id,
      held.member_id as "memberId", ${names.columns}
    from held_actions as held ${names.joins}
    order by held.id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Remembers the waiting changes of all managed resources, beside those that were remembered before and are not decided
 * yet.
 */
export async function holdWishes(tx: Db): Promise<void> {
  for (const [table, type] of [
    ['users', 'user'],
    ['groups', 'group'],
  ] as const) {
    await sql`
      insert into held_wishes (resource_type, resource_id, pending, list, member_id)
      select ${sql.lit(type)}, id, pending, '', '' from ${sql.table(table)}
      where origin is not null and pending <> '{}'`.execute(tx);
  }
  for (const list of LINK_TABLES) {
    await sql`
      insert into held_wishes (resource_type, resource_id, pending, list, member_id)
      select 'group', group_id, '{}', ${sql.lit(list)}, user_id from ${sql.table(list)}
      where pending is not null`.execute(tx);
  }
}

/** Forgets the remembered changes: the plan was decided about. */
export async function deleteHeldWishes(tx: Db): Promise<void> {
  await tx.deleteFrom('held_wishes').execute();
}

/**
 * Selects those of these actions that a provider asked for. An action that would create a resource, or look for one
 * that was not seen, counts as asked for when any change of the resource was.
 */
export async function selectWished(
  db: Db,
  actions: readonly HeldAction[],
): Promise<readonly HeldAction[]> {
  const wishes = await listWishes(db, [...new Set(actions.map(({ resourceId }) => resourceId))]);
  return actions.filter(({ resourceType, resourceId, field, memberId = '' }) => {
    const isWhole = field === 'account' || field === 'existence';
    const resource = toKey(resourceType, resourceId);
    return wishes.has(isWhole ? resource : `${resource} ${field} ${memberId}`);
  });
}

/** Lists the keys of resources with a remembered change, and of each such change. */
async function listWishes(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const wishes = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await db
      .selectFrom('held_wishes')
      .selectAll()
      .where('resource_id', 'in', some)
      .execute();
    for (const { resource_type, resource_id, pending, list, member_id } of rows) {
      const resource = toKey(resource_type, resource_id);
      const fields = list === '' ? Object.keys(parseStored<object>(pending)) : [list];
      wishes.add(resource);
      for (const field of fields) wishes.add(`${resource} ${field} ${member_id}`);
    }
  }
  return wishes;
}

function toKey(type: 'user' | 'group', id: string): string {
  return `${type} ${id}`;
}

/**
 * Ends everything that waits of managed resources, and marks what is known of them as stale, so that the next action on
 * one is a look. A difference is acted on from now on only where a write names it anew.
 */
export async function holdEverything(tx: Db): Promise<void> {
  for (const table of ['users', 'groups'] as const) {
    await tx
      .updateTable(table)
      .set({
        pending: '{}',
        must_look: 1,
        due_at: null,
        attempts: 0,
        failing_since: null,
        last_error: null,
        stuck_at: null,
      })
      .where('origin', 'is not', null)
      .execute();
  }
  for (const table of ['memberships', 'group_admins'] as const) {
    await tx
      .updateTable(table)
      .set({ pending: null, retry_at: null, attempts: 0 })
      .where('pending', 'is not', null)
      .execute();
  }
}
