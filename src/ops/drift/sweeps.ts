import {
  ACTIVE_STATUSES,
  DRIFT_KINDS,
  DRIFT_STATUSES,
  type DriftStatus,
} from '../../domain/drift.ts';
import { type Author, findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { type DriftQuery, type DriftView, listDriftViews } from '../../store/drift-views.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import { findSweep, listSweeps, type SweepRow } from '../../store/sweeps.ts';
import {
  NEWEST,
  OLDEST,
  type PartQuery,
  parseSeq,
  readList,
  readPage,
} from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import { toReadingView } from '../recovery/view.ts';
import type { DriftAnswer, SweepView } from '../schemas/drift.ts';
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
    method: 'post',
    path: '/sweeps',
    tag: 'Sweeps and drift',
    summary: 'Has the service compared with the store: a new sweep, or the one that runs or waits.',
    body: 'SweepBody',
    answers: { 202: 'SweepAsked' },
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
      const read = ({ from: beforeSeq, limit }: PartQuery) => listSweeps(db, { beforeSeq, limit });
      const toViews = (rows: readonly SweepRow[]) =>
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
      const row = await findSweep(db, params.id);
      if (row !== undefined) return ok(toSweepView(row, findReading()));
      return problem(404, 'unknown-sweep', 'There is no sweep with this id.');
    },
  }),
  route({
    method: 'get',
    path: '/drifts',
    tag: 'Sweeps and drift',
    summary: 'Differences that nobody asked for, in order of finding.',
    filters: {
      kind: DRIFT_KINDS,
      status: ['active', 'undecided', ...DRIFT_STATUSES],
      resource: 'text',
    },
    meanings: {
      status: '`active`: all that are not over; `undecided`: open or contested.',
      resource: 'Of the user or group with this SCIM id, also as a member.',
    },
    answers: { 200: 'DriftList' },
    async handle({ store }: OpsSources, { query }) {
      const { kind, status, resource: resourceId } = query.filters;
      const statuses = toStatuses(status);
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listAuthored(store.read, { kind, statuses, resourceId, afterSeq, limit });
      return ok(await readList(query, OLDEST, read, toDriftAnswer));
    },
  }),
] as const;

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
): Promise<SweepView | null> {
  const [last] = await listSweeps(db, { beforeSeq: NEWEST, limit: 1 });
  return last === undefined ? null : toSweepView(last, reading);
}

function toSweepView(row: SweepRow, reading: ReadProgress | null): SweepView {
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

function toDriftAnswer(drift: AuthoredDrift): DriftAnswer {
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

function toNote({ note: text, notedBy: by, ignoredUntil }: DriftView): DriftAnswer['note'] {
  if (text === null) return null;
  return { text, by, until: toMoment(ignoredUntil) };
}

function toWho({ authorId, username, address, operator, at }: Author) {
  return { id: authorId, username, address, operator, at: toMoment(at) };
}
