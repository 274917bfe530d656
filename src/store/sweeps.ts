import { select } from './engine/dialect.ts';
import type { Db } from './store.ts';
import { findOne, type Row } from './tables.ts';

const COMPARED_MAX = 1_000;

/**
 * Reads, for moments until `until`, when the newest sweep began that had compared everything before the moment, the admin
 * lists too where they matter; 0: there was none. Times are epoch milliseconds.
 */
export async function listComparedSince(
  db: Db,
  until: number,
): Promise<(question: { before: number; admins: boolean }) => number> {
  const sweeps = await select<Pick<Row<'sweeps'>, 'started_at' | 'ended_at' | 'reads_admins'>>(db)`
    select started_at, ended_at, reads_admins from sweeps
    where status not in ('running', 'incomplete') and ended_at < ${until}
    order by seq desc limit ${COMPARED_MAX}`;
  return ({ before, admins }) =>
    sweeps.find(
      ({ ended_at, reads_admins }) =>
        ended_at !== null && ended_at < before && (reads_admins === 1 || !admins),
    )?.started_at ?? 0;
}

/** Time at which the last sweep ended that concluded everything (epoch milliseconds); undefined: none has. */
export async function findLastSweptAt(db: Db): Promise<number | undefined> {
  const concluded = { status: ['complete', 'held'] } as const;
  return (await findOne(db, 'sweeps', concluded, { order: 'seq desc' }))?.ended_at ?? undefined;
}
