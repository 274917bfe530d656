import { type Selectable, sql } from 'kysely';
import type { SamplesTable } from './schema.ts';
import type { Db } from './store.ts';

/** State of one minute as stored. */
export type SampleRow = Selectable<SamplesTable>;

/** How long samples are kept, in milliseconds. */
const KEPT_MS = 48 * 3_600_000;

/** Stores the state of a minute, and forgets those that are too old. */
export async function insertSample(tx: Db, sample: SampleRow): Promise<void> {
  await tx
    .deleteFrom('samples')
    .where('at', '<', sample.at - KEPT_MS)
    .execute();
  const insert = tx.insertInto('samples').values(sample);
  await insert.onConflict((conflict) => conflict.doNothing()).execute();
}

/** Samples since a moment (epoch milliseconds), the oldest first. */
export async function listSamples(db: Db, since: number): Promise<SampleRow[]> {
  return db.selectFrom('samples').selectAll().where('at', '>=', since).orderBy('at').execute();
}

/** Counts the requests of providers from a moment on (epoch milliseconds) that were kept, and those that were refused. */
export async function countRequestsSince(
  db: Db,
  since: number,
): Promise<{ requests: number; refused: number }> {
  const { rows } = await sql<{ requests: number; refused: number | null }>`
    select count(*) as requests, sum(case when status >= 400 then 1 else 0 end) as refused
    from requests where at >= ${since}`.execute(db);
  return { requests: Number(rows[0]?.requests ?? 0), refused: Number(rows[0]?.refused ?? 0) };
}
