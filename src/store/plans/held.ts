import { type RawBuilder, sql } from 'kysely';
import { isWaiting, onlyWaiting } from '../../domain/cell.ts';
import { CHANGED_FIELDS, FIELD_CHANGES, getChangeRow } from '../../domain/change.ts';
import { type EntityField, findWantedRoles, listEntityFields } from '../../domain/entity.ts';
import { hasEntities, parseCells, waits } from '../engine/columns.ts';
import { LINK_TABLES } from '../links/links.ts';
import type { Db } from '../store.ts';

/** A plan that is being made, and the time (epoch milliseconds). */
interface Making {
  readonly planId: string;
  readonly now: number;
}

/**
 * Notes the waiting changes of all managed resources as actions of a plan that is being made, beside those that it has.
 * Their values are not known before the service was read.
 */
export async function insertWishes(tx: Db, making: Making): Promise<void> {
  for (const field of CHANGED_FIELDS) {
    const [on, off = on] = FIELD_CHANGES[field];
    // userName and address are never changed by a plan.
    if (getChangeRow(on).repairs === undefined) continue;
    const isOfUser = on.startsWith('user.');
    const isOn = sql`${isOfUser && on !== off ? sql`active = 1 and ` : sql``}deleted_at is null`;
    await insertWish(tx, making, {
      type: isOfUser ? 'user' : 'group',
      select: sql`select case when ${isOn} then ${sql.lit(on)} else ${sql.lit(off)} end as kind, id, '' as member
        from ${sql.table(isOfUser ? 'users' : 'groups')} where origin is not null and ${waits('cells', field)}`,
    });
  }
  for (const list of LINK_TABLES) {
    const person = list === 'memberships' ? 'member' : 'admin';
    const [add, remove] = [sql.lit(`${person}.add`), sql.lit(`${person}.remove`)];
    await insertWish(tx, making, {
      type: 'group',
      select: sql`select case when desired = 1 then ${add} else ${remove} end as kind,
        group_id as id, user_id as member from ${sql.table(list)} where pending is not null`,
    });
  }
  await insertEntityWishes(tx, making);
}

/** Notes what waits in entities: which change it takes is known only once they are listed. */
async function insertEntityWishes(tx: Db, making: Making): Promise<void> {
  const groups = tx.selectFrom('groups').select(['id', 'cells']).where('origin', 'is not', null);
  const rows = await groups.where(hasEntities('cells')).where(waits('cells')).execute();
  for (const { id, ...row } of rows) {
    const cells = parseCells<EntityField>(row);
    for (const field of listEntityFields(cells).filter((one) => isWaiting(cells[one]))) {
      const isRemoval = findWantedRoles(cells[field]) === '';
      for (const kind of isRemoval ? ['entity.remove'] : ['entity.add', 'entity.change']) {
        const select = sql`select ${sql.lit(kind)} as kind, ${sql.lit(id)} as id, ${sql.lit(field)} as member`;
        await insertWish(tx, making, { type: 'group', select });
      }
    }
  }
}

interface Wish {
  readonly type: 'user' | 'group';
  /** Gives `kind`, `id` and `member`. */
  readonly select: RawBuilder<unknown>;
}

async function insertWish(tx: Db, { planId, now }: Making, { type, select }: Wish): Promise<void> {
  await sql`
    insert into plan_actions (plan_id, kind, resource_type, resource_id, member_id, desired, observed,
      harm, status, planned_at, released_at)
    select ${planId}, wish.kind, ${sql.lit(type)}, wish.id, wish.member, 'null', 'null', null, 'planned',
      ${sql.lit(now)}, null
    from (${select}) as wish
    where not exists (select 1 from plan_actions as known where known.plan_id = ${planId}
      and known.kind = wish.kind and known.resource_id = wish.id and known.member_id = wish.member)`.execute(
    tx,
  );
}

/** Forgets the noted changes of which the service was not read, or that it holds already. */
export async function deleteWishes(tx: Db, planId: string): Promise<void> {
  const unread = tx.deleteFrom('plan_actions').where('plan_id', '=', planId);
  await unread.where('desired', '=', 'null').where('observed', '=', 'null').execute();
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
        must_look: 1,
        due_at: null,
        attempts: 0,
        failing_since: null,
        last_error: null,
        stuck_at: null,
      })
      .where('origin', 'is not', null)
      .execute();
    await endWaiting(tx, table);
  }
  for (const table of LINK_TABLES) {
    await tx
      .updateTable(table)
      .set({ pending: null, retry_at: null, attempts: 0 })
      .where('pending', 'is not', null)
      .execute();
  }
}

async function endWaiting(tx: Db, table: 'users' | 'groups'): Promise<void> {
  const waiting = tx.selectFrom(table).select(['seq', 'cells']).where('origin', 'is not', null);
  for (const { seq, ...row } of await waiting.where(waits('cells')).execute()) {
    const cells = JSON.stringify(onlyWaiting(parseCells<string>(row), []));
    await tx.updateTable(table).set({ cells }).where('seq', '=', seq).execute();
  }
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
