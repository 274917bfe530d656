import { sql } from 'kysely';
import { select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** Names of the subjects of a row that is about a user or group, or about a user in a group; null where the store has them no more. */
export interface SubjectNames {
  readonly name: string | null;
  readonly member_name: string | null;
}

/** Columns and joins that add these names to a query; `row` is the alias of its rows. */
export function joinSubjectNames(row: string) {
  const id = (column: string) => sql.ref(`${row}.${column}`);
  return {
    columns: sql`named.name, member.name as member_name`,
    joins: sql`left join resources as named on named.id = ${id('resource_id')}
      left join resources as member on member.id = ${id('member_id')}`,
  };
}

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
  const rows = await select<{ count: number }>(tx)`
    insert into disputes (resource_type, name_folded, reason, first_seen_at, last_seen_at, count)
    values (${type}, ${nameFolded}, ${reason}, ${now}, ${now}, 1)
    on conflict (resource_type, name_folded) do update set reason = excluded.reason,
      last_seen_at = excluded.last_seen_at, count = disputes.count + 1
    returning count`;
  return rows[0]?.count === 1;
}
