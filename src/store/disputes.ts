import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A write that could not be matched to one account or group. */
export interface Dispute {
  readonly type: 'user' | 'group';
  readonly nameFolded: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records a dispute once per name, counting repeats: an operator resolves it, nobody guesses. */
export async function saveDispute(
  tx: Db,
  { type, nameFolded, reason, now }: Dispute,
): Promise<void> {
  await tx
    .insertInto('disputes')
    .values({
      resource_type: type,
      name_folded: nameFolded,
      reason,
      first_seen_at: now,
      last_seen_at: now,
      count: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['resource_type', 'name_folded']).doUpdateSet({
        reason,
        last_seen_at: now,
        count: sql`disputes.count + 1`,
      }),
    )
    .execute();
}
