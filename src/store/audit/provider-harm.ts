import { sql } from 'kysely';
import { listKindsOf } from '../../domain/change.ts';
import type { HarmKind } from '../../domain/harm.ts';
import type { Db } from '../store.ts';

/** Selection of the harm to count. */
interface HarmQuery {
  readonly harm: HarmKind;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Counting ends here. */
  readonly max: number;
}

/**
 * Counts the accounts, places in a group, or groups that providers took something away from: each counts once, however many
 * calls that took. Calls that the service refused took nothing away; one whose outcome is unknown may have.
 * Changes by repair plans are left out.
 */
export async function countProviderHarm(db: Db, { harm, since, max }: HarmQuery): Promise<number> {
  const kinds = listKindsOf(harm);
  if (kinds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select distinct coalesce(case when resource_type = 'user' then upstream_id end, resource_id),
        member_id from own_calls
      where kind in (${sql.join(kinds)}) and at > ${since} and is_repair = 0
      and (outcome is null or outcome in ('done', 'unknown')) limit ${max}) as subjects`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
