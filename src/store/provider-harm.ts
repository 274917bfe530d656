import { sql } from 'kysely';
import { HARM_OF_CALLS, type HarmKind } from '../domain/harm.ts';
import type { OwnCallKind } from '../domain/own-call.ts';
import type { Db } from './database.ts';

/**
 * How much of each kind of harm providers had done since then (epoch milliseconds): what the ledger has, without
 * what plans of repairs did.
 */
export async function countProviderHarm(db: Db, since: number): Promise<Map<HarmKind, number>> {
  const kinds = sql.join(Object.keys(HARM_OF_CALLS));
  const { rows: calls } = await sql<{ kind: OwnCallKind; count: number }>`
    select kind, count(*) as count from own_calls
    where kind in (${kinds}) and at > ${since} group by kind`.execute(db);
  const { rows: repairs } = await sql<{ harm: HarmKind; count: number }>`
    select harm, count(*) as count from plan_actions
    where released_at > ${since} and harm is not null and status <> 'dropped' group by harm`.execute(
    db,
  );
  const counts = new Map<HarmKind, number>();
  const add = (harm: HarmKind, more: number) =>
    counts.set(harm, Math.max(0, (counts.get(harm) ?? 0) + more));
  for (const { kind, count } of calls) {
    const harm = HARM_OF_CALLS[kind];
    if (harm !== undefined) add(harm, Number(count));
  }
  for (const { harm, count } of repairs) add(harm, -Number(count));
  return counts;
}

/** Whether a plan of repairs is what takes something away from this person or group now. */
export async function isRepairedNow(db: Db, resourceId: string): Promise<boolean> {
  const action = db.selectFrom('plan_actions').select('id').where('resource_id', '=', resourceId);
  const row = await action
    .where('status', '=', 'released')
    .where('harm', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Has what waits because of a limit be tried at once. `now` is epoch milliseconds. */
export async function wakeHeldByLimit(tx: Db, words: string, now: number): Promise<void> {
  for (const table of ['users', 'groups'] as const) {
    const held = tx.updateTable(table).set({ due_at: now }).where('due_at', '>', now);
    await held.where('last_error', 'like', `%${words}%`).execute();
  }
}
