import { sql } from 'kysely';
import type { Detector } from '../domain/drift.ts';
import type { GivenKey } from '../domain/ids.ts';
import type { ResourceRow } from './resources/rows.ts';
import type { Db } from './store.ts';
import type { Row } from './tables.ts';

/** A user or group that is to be compared by itself. */
export type InspectionRow = ResourceRow & { readonly [Name in LookColumn]: Given[Name] };

type LookColumn = 'look_at' | 'look_since' | 'look_source';
type Given = { [Name in LookColumn]: NonNullable<Row<'resources'>[Name]> };

/** Reason to look at a user or group; times are epoch milliseconds. */
interface LookReason {
  readonly source: Detector;
  readonly now: number;
  /** When the look is due; absent: now. */
  readonly dueAt?: number;
  /** True: the admin list of a group is to be read too. */
  readonly admins?: boolean;
}

/**
 * Schedules a look at a user or group. Of two schedules the earlier time counts, and all that either reads is read. The
 * source `operator` is replaced by any other, because changes by others need a decision.
 */
export async function addInspection(
  tx: Db,
  { id }: GivenKey,
  { source, now, dueAt = now, admins = false }: LookReason,
): Promise<void> {
  await sql`update resources set look_since = ${now},
      look_at = case when look_at < ${dueAt} then look_at else ${dueAt} end,
      look_source = case when look_source <> 'operator' then look_source else ${source} end,
      look_admins = case when look_admins = 1 then 1 else ${admins ? 1 : 0} end
    where id = ${id}`.execute(tx);
}

/** Lists the subjects that are to be looked at by now, the longest waiting first. */
export async function listDueInspections(
  db: Db,
  { now, limit }: { now: number; limit: number },
): Promise<InspectionRow[]> {
  const { rows } = await sql<InspectionRow>`select * from resources
    where look_at <= ${now} order by look_at limit ${limit}`.execute(db);
  return rows;
}

/** Makes every look due now that is scheduled after `beyond` (epoch milliseconds). */
export async function prioritiseInspections(
  tx: Db,
  { now, beyond }: { readonly now: number; readonly beyond: number },
): Promise<void> {
  await sql`update resources set look_at = ${now} where look_at > ${beyond}`.execute(tx);
}
