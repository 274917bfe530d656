import type { JsonObject } from '../domain/json.ts';
import { changeDrifts, insertDrifts, listActiveDrifts } from './drifts.ts';
import { addInspection } from './inspections.ts';
import type { Db } from './store.ts';

/** Somebody, or a group, whom the service does not have. */
interface Missing {
  readonly type: 'user' | 'group';
  readonly id: string;
}

/** Has a look of its own say whether it is really missing. `now` is epoch milliseconds. */
export async function haveInspected(tx: Db, { type, id }: Missing, now: number): Promise<void> {
  await addInspection(tx, {
    resource_id: id,
    resource_type: type,
    source: 'discovery',
    since: now,
    admins: 0,
    due_at: now,
  });
}

/** Remembers that a write met it missing, and that it is made anew. `now` is epoch milliseconds. */
export async function noteMissing(
  tx: Db,
  { type, id, desired }: Missing & { desired: JsonObject },
  now: number,
): Promise<void> {
  const kind = `${type}.missing` as const;
  const difference = { kind, type, resourceId: id, memberId: '', desired, observed: null };
  await insertDrifts(tx, [difference], { detector: 'discovery', now, status: 'repairing' });
  const known = (await listActiveDrifts(tx, [id])).filter((drift) => drift.kind === kind);
  const waiting = known.filter(({ status }) => status !== 'repairing');
  await changeDrifts(
    tx,
    waiting.map((drift) => drift.id),
    { status: 'repairing', plan_id: null },
  );
}
