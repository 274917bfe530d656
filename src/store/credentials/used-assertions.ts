import type { UsedAssertionsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** Assertions of one client that are remembered at once. */
const USED_MAX = 10_000;

/**
 * Remembers an assertion that is taken now. `used`: it was taken before; `full`: the client has too many that are not
 * over yet. Transactions that take the same one wait for each other.
 */
export async function insertUsedAssertion(
  tx: Db,
  assertion: UsedAssertionsTable,
  now: number,
): Promise<'new' | 'used' | 'full'> {
  const insert = tx.insertInto('used_assertions').values(assertion);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  if (Number(result.numInsertedOrUpdatedRows) === 0) return 'used';
  const surplus = await tx
    .selectFrom('used_assertions')
    .select('digest')
    .where('client_id', '=', assertion.client_id)
    .where('expires_at', '>', now)
    .orderBy('expires_at')
    .offset(USED_MAX)
    .limit(1)
    .executeTakeFirst();
  return surplus === undefined ? 'new' : 'full';
}
