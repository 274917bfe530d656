import { ACTIVE_STATUSES, type DRIFT_KINDS, type DriftStatus } from '../../domain/drift.ts';
import { userId } from '../../domain/ids.ts';
import { type Author, findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { type DriftQuery, type DriftView, listDriftViews } from '../../store/drift-views.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { findRow, listRowsById } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listNewest, type Row } from '../../store/tables.ts';
import {
  type ListAnswer,
  type ListQuery,
  NEWEST,
  OLDEST,
  type PartQuery,
  parseSeq,
  readPage,
} from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import { SWEEP } from '../lists/acts.ts';
import { type DRIFT_FILTERS, DRIFTS, UNMANAGED } from '../lists/drifts.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** A drift with its author; undefined: the audit log does not say. */
interface AuthoredDrift extends DriftView {
  readonly author: Author | undefined;
}

async function listAuthored(db: Db, query: DriftQuery): Promise<AuthoredDrift[]> {
  const drifts = await listDriftViews(db, query);
  const authors = await findDriftAuthors(db, drifts);
  return drifts.map((drift, place) => ({ ...drift, author: authors[place] }));
}

/** Requests about sweeps, and the list of what they found. */
export const sweepRoutes = [
  route({
    ...SWEEP,
    async handle({ requestSweep }: OpsSources, { body: { dryRun = false } }) {
      const id = await requestSweep({ isDryRun: dryRun });
      return { status: 202, json: { id }, target: id, change: { after: { dryRun } } };
    },
  }),
  route({
    method: 'get',
    path: '/sweeps',
    tag: 'Sweeps and drift',
    summary: 'Sweeps, the newest first.',
    filters: {},
    answers: { 200: 'SweepList' },
    async handle({ store: { read: db }, findReading }: OpsSources, { query }) {
      const read = (part: PartQuery) => listNewest(db, 'sweeps', {}, part);
      const toViews = (rows: readonly Row<'sweeps'>[]) =>
        rows.map((row) => toSweepView(row, findReading()));
      return ok(await readPage({ ...query, from: parseSeq(query.cursor, NEWEST) }, read, toViews));
    },
  }),
  route({
    method: 'get',
    path: '/sweeps/{id}',
    tag: 'Sweeps and drift',
    summary: 'One sweep.',
    answers: { 200: 'Sweep', 404: 'Problem' },
    async handle({ store: { read: db }, findReading }: OpsSources, { params }) {
      const row = await findOne(db, 'sweeps', { id: params.id });
      if (row !== undefined) return ok(toSweepView(row, findReading()));
      return problem(404, 'unknown-sweep', 'There is no sweep with this id.');
    },
  }),
  route({
    ...DRIFTS,
    handle: async ({ store: { read: db } }: OpsSources, { query }) =>
      ok(await readDrifts(db, true, query, (drifts) => drifts.map(toDriftAnswer))),
  }),
  route({
    ...UNMANAGED,
    handle: async (sources: OpsSources, { query }) =>
      ok(await readDrifts(sources.store.read, false, query, (some) => toUnmanaged(sources, some))),
  }),
] as const;

/** A page of the drifts of what is managed, or of what is not. */
function readDrifts<Item>(
  db: Db,
  isManaged: boolean,
  {
    filters,
    limit,
    cursor,
  }: ListQuery<typeof DRIFT_FILTERS & { readonly kind: typeof DRIFT_KINDS }>,
  toItems: (drifts: readonly AuthoredDrift[]) => Item[] | Promise<Item[]>,
): Promise<ListAnswer<Item>> {
  const { kind, status, order = 'newest', resource: resourceId, q: text } = filters;
  const of = { isManaged, kind, statuses: toStatuses(status), order, resourceId, text };
  const from = parseSeq(cursor, order === 'newest' ? NEWEST : OLDEST);
  return readPage({ limit, from }, (part) => listAuthored(db, { ...of, ...part }), toItems);
}

/** Statuses of a filter; undefined: any. */
function toStatuses(
  status: DriftStatus | 'active' | 'undecided' | undefined,
): readonly DriftStatus[] | undefined {
  if (status === 'active') return ACTIVE_STATUSES;
  return status === 'undecided' ? ['contested', 'open'] : status && [status];
}

/** Finds the newest sweep, which may run; null: there was none. */
export async function findLastSweep(
  db: Db,
  reading: ReadProgress | null,
): Promise<OpsJson<'Sweep'> | null> {
  const last = await findOne(db, 'sweeps', {}, { order: 'seq desc' });
  return last === undefined ? null : toSweepView(last, reading);
}

function toSweepView(row: Row<'sweeps'>, reading: ReadProgress | null): OpsJson<'Sweep'> {
  return {
    id: row.id,
    status: row.status,
    dryRun: row.dry_run === 1,
    planId: row.plan_id,
    startedAt: toMoment(row.started_at),
    endedAt: toMoment(row.ended_at),
    admins: row.reads_admins === 1,
    calls: row.calls,
    counts: parseStored<Record<string, number>>(row.counts),
    reasons: parseStored<string[]>(row.reasons),
    progress: row.status === 'running' ? toReadingView(reading) : null,
  };
}

function toDriftAnswer(drift: AuthoredDrift): OpsJson<'Drift'> {
  const { id, kind, status, desired, observed, type, resourceId, name } = drift;
  const { memberId, memberName, firstSeenAt, lastSeenAt, author } = drift;
  return {
    id,
    kind,
    status,
    resource: { type, id: resourceId, name },
    member: memberId === '' ? null : { id: memberId, name: memberName },
    desired,
    observed,
    who: author === undefined ? null : toWho(author),
    message: author?.message ?? null,
    firstSeen: toMoment(firstSeenAt),
    lastSeen: toMoment(lastSeenAt),
    detector: drift.detector,
    planId: drift.planId,
    note: toNote(drift),
  };
}

function toNote({ note: text, notedBy: by, ignoredUntil }: DriftView): OpsJson<'Drift'>['note'] {
  if (text === null) return null;
  return { text, by, until: toMoment(ignoredUntil) };
}

function toWho({ authorId, username, address, at }: Author) {
  return { id: authorId, username, address, at: toMoment(at) };
}

async function toUnmanaged(
  { store: { read: db }, privileges }: OpsSources,
  drifts: readonly AuthoredDrift[],
): Promise<OpsJson<'Unmanaged'>[]> {
  const ids = drifts.flatMap(({ type, resourceId: id }) => (type === 'user' ? [userId(id)] : []));
  const rows = await listRowsById(db, 'user', ids);
  const reasons = new Map<string, string | undefined>(await privileges.listPrivileged(db, rows));
  for (const { type, resourceId } of drifts) {
    const group =
      type === 'group' ? await findRow(db, { type: 'group', id: resourceId }) : undefined;
    if (group) reasons.set(resourceId, await privileges.findGroupPrivilege(db, group));
  }
  return drifts.map((drift) => ({
    ...toDriftAnswer(drift),
    privileged: reasons.get(drift.resourceId) ?? null,
  }));
}
