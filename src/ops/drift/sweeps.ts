import type { ReadProgress } from '../../reconcile/read/reading.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listNewest, type Row } from '../../store/tables.ts';
import { listRoute, ok, Problem, route } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { SWEEP } from '../lists/acts.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about sweeps. */
export const sweepRoutes = [
  route({
    ...SWEEP,
    async handle({ requestSweep }: OpsSources, { body: { dryRun = false } }) {
      const id = await requestSweep(dryRun);
      return { json: { id }, target: id, change: { after: { dryRun } } };
    },
  }),
  listRoute(
    {
      path: '/sweeps',
      summary: 'Sweeps, the newest first.',
      filters: {},
      answers: { 200: 'SweepList' },
    },
    ({ store }: OpsSources, _filters, part) => listNewest(store.read, 'sweeps', {}, part),
    (row, { status }) => toSweepView(row, status.news().reading),
  ),
  route({
    path: '/sweeps/{id}',
    summary: 'One sweep.',
    answers: { 200: 'Sweep' },
    async handle({ store: { read: db }, status }: OpsSources, { params }) {
      const row = await findOne(db, 'sweeps', { id: params.id });
      if (row !== undefined) return ok(toSweepView(row, status.news().reading));
      throw new Problem(404, 'unknown-sweep', 'There is no sweep with this id.');
    },
  }),
] as const;

/** Finds the newest sweep, which may run; null: there was none. */
export async function findLastSweep(
  db: Db,
  reading: ReadProgress | null,
): Promise<OpsJson<'Sweep'> | null> {
  const last = await findOne(db, 'sweeps', {}, { order: 'seq desc' });
  return last === undefined ? null : toSweepView(last, reading);
}

function toSweepView(row: Row<'sweeps'>, reading: ReadProgress | null): OpsJson<'Sweep'> {
  return toView('Sweep', row, {
    admins: row.reads_admins === 1,
    progress: row.status === 'running' ? toReadingView(reading) : null,
  });
}
