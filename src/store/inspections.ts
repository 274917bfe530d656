import { type Selectable, sql } from 'kysely';
import type { Detector } from '../domain/drift.ts';
import type { GivenKey } from '../domain/ids.ts';
import type { InspectionsTable } from './schema.ts';
import type { Db } from './store.ts';

/** A person or group that is to be compared by itself. */
export type InspectionRow = Selectable<InspectionsTable>;

/** Reason to look at somebody; times are epoch milliseconds. */
interface LookReason {
  readonly source: Detector;
  readonly now: number;
  /** When the look is due; absent: now. */
  readonly dueAt?: number;
  /** True: the admin list of a group is to be read too. */
  readonly admins?: boolean;
}

/** Has a user or group compared; one who waits already is looked at anew. */
export async function addInspection(
  tx: Db,
  { type, id }: GivenKey,
  { source, now, dueAt = now, admins = false }: LookReason,
): Promise<void> {
  const key = { resource_id: id, resource_type: type };
  await tx
    .insertInto('inspections')
    .values({ ...key, source, since: now, due_at: dueAt, admins: admins ? 1 : 0 })
    .onConflict((conflict) =>
      conflict.column('resource_id').doUpdateSet({
        since: now,
        // Whoever is named again and again is looked at all the same.
        due_at: sql<number>`case when inspections.due_at < excluded.due_at then inspections.due_at
          else excluded.due_at end`,
        // What others have changed is to be decided about, and what an operator has changed is not.
        source: sql<Detector>`case when inspections.source = 'operator' then excluded.source
          else inspections.source end`,
        // What was to be read before is still to be read.
        admins: sql<number>`case when inspections.admins = 1 then 1 else excluded.admins end`,
      }),
    )
    .execute();
}

/** Lists the subjects that are to be looked at by now, the longest waiting first. */
export async function listDueInspections(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<InspectionRow[]> {
  const due = db.selectFrom('inspections').selectAll().where('due_at', '<=', now);
  return due.orderBy('due_at').limit(limit).execute();
}

/** Has everybody looked at now who is to be looked at later than `beyond` (epoch milliseconds). */
export async function prioritiseInspections(
  tx: Db,
  { now, beyond }: { readonly now: number; readonly beyond: number },
): Promise<void> {
  await tx.updateTable('inspections').set({ due_at: now }).where('due_at', '>', beyond).execute();
}

/** When the next one is to be looked at (epoch milliseconds), or undefined: nobody waits. */
export async function findNextInspectionAt(db: Db): Promise<number | undefined> {
  const first = db.selectFrom('inspections').select('due_at').orderBy('due_at').limit(1);
  return (await first.executeTakeFirst())?.due_at;
}

/** Puts an inspection off until then (epoch milliseconds), unless there is a newer reason to look. */
export async function postponeInspection(
  tx: Db,
  { resource_id, since, due_at }: InspectionRow,
  until: number,
): Promise<void> {
  const held = tx.updateTable('inspections').set({ due_at: until });
  const update = held.where('resource_id', '=', resource_id);
  await update.where('since', '=', since).where('due_at', '=', due_at).execute();
}

/** Forgets an inspection that was made, unless there is a newer reason to look. */
export async function endInspection(tx: Db, { resource_id, since }: InspectionRow): Promise<void> {
  const made = tx.deleteFrom('inspections').where('resource_id', '=', resource_id);
  await made.where('since', '=', since).execute();
}
