import { sql } from 'kysely';
import type { Db } from '../store.ts';
import { listWhere, type Row } from '../tables.ts';

/** A write that could not be matched to one account or group. */
interface Dispute {
  readonly type: 'user' | 'group';
  readonly nameFolded: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records a dispute once per name, counting repeats: an operator resolves it. True: it is new. */
export async function saveDispute(
  tx: Db,
  { type, nameFolded, reason, now }: Dispute,
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    insert into disputes (resource_type, name_folded, reason, first_seen_at, last_seen_at, count)
    values (${type}, ${nameFolded}, ${reason}, ${now}, ${now}, 1)
    on conflict (resource_type, name_folded) do update set reason = excluded.reason,
      last_seen_at = excluded.last_seen_at, count = disputes.count + 1
    returning count`.execute(tx);
  return rows[0]?.count === 1;
}

/** Lists disputes, the latest first. */
export function listDisputes(db: Db, limit: number): Promise<Row<'disputes'>[]> {
  return listWhere(db, 'disputes', {}, { order: 'last_seen_at desc', limit });
}
