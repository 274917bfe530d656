import { type RequestHandler, Router } from 'express';
import {
  type Detector,
  DRIFT_KINDS,
  DRIFT_STATUSES,
  type DriftKind,
  type DriftStatus,
} from '../domain/drift.ts';
import { type Author, findDriftAuthors } from '../reconcile/audit/find-author.ts';
import type { SweepCounts } from '../reconcile/sweep/run.ts';
import type { Db } from '../store/database.ts';
import { parseStored } from '../store/documents.ts';
import { type DriftQuery, type DriftView, listDriftViews } from '../store/drifts.ts';
import { findSweep, listSweeps, type SweepRow } from '../store/sweeps.ts';
import { jsonBody, parseBody } from './body.ts';
import { InvalidRequest } from './invalid-request.ts';
import { parseListQuery, parseSeq, readPage } from './list-query.ts';
import { noteTarget } from './operator-acts.ts';

/** Where sweeps and drifts are read, and a sweep is asked for. */
export interface SweepSource {
  /** Has a sweep made, and gives its id. */
  readonly request: (options: { isDryRun: boolean }) => Promise<string>;
  readonly find: (id: string) => Promise<SweepRow | undefined>;
  readonly list: (page: { beforeSeq: number; limit: number }) => Promise<SweepRow[]>;
  readonly listDrifts: (query: DriftQuery) => Promise<AuthoredDrift[]>;
}

/** A drift, and who brought it about; undefined: the audit log does not say. */
interface AuthoredDrift extends DriftView {
  readonly author: Author | undefined;
}

/** The sweeps and drifts of a store. */
export function createSweepSource(db: Db, request: SweepSource['request']): SweepSource {
  return {
    request,
    find: (id) => findSweep(db, id),
    list: (page) => listSweeps(db, page),
    listDrifts: (query) => listAuthored(db, query),
  };
}

async function listAuthored(db: Db, query: DriftQuery): Promise<AuthoredDrift[]> {
  const drifts = await listDriftViews(db, query);
  const authors = await findDriftAuthors(db, drifts);
  return drifts.map((drift, place) => ({ ...drift, author: authors[place] }));
}

/** A sweep as an operator is shown it. Moments are ISO 8601. */
export interface SweepView {
  readonly id: string;
  readonly status: SweepRow['status'];
  /** Nothing followed from what it found; the plan was only made to be shown. */
  readonly dryRun: boolean;
  /** The plan that was made of what it found. */
  readonly planId: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Whether this one reads the admin lists too. */
  readonly admins: boolean;
  readonly calls: number;
  readonly counts: Partial<SweepCounts>;
  /** Why something was not concluded. */
  readonly reasons: readonly string[];
}

/** A drift as an operator is shown it. Names are personal. */
export interface DriftAnswer {
  readonly id: string;
  readonly kind: DriftKind;
  readonly status: DriftStatus;
  readonly resource: {
    readonly type: 'user' | 'group';
    readonly id: string;
    readonly name: string | null;
  };
  /** Of whom in a group it is. */
  readonly member: { readonly id: string; readonly name: string | null } | null;
  readonly desired: unknown;
  readonly observed: unknown;
  /** Who brought it about; null: the audit log does not say, or was not read that far yet. */
  readonly who: WhoAnswer | null;
  /** What the audit log says of it, in its own words. */
  readonly message: string | null;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly detector: Detector;
  /** The plan that repairs it, or that waits to do so. */
  readonly planId: string | null;
  /** Why it is not repaired: who is protected, or what an operator said, and then who and until when. */
  readonly note: {
    readonly text: string;
    readonly by: string | null;
    readonly until: string | null;
  } | null;
}

/** Somebody as the audit log shows them; `at` is its time. What it does not show is null. */
interface WhoAnswer {
  readonly id: number | null;
  readonly username: string | null;
  readonly address: string | null;
  readonly at: string;
}

/** `POST /` `{ dryRun }` asks for a sweep: 202 `{ id }`. `GET /` lists them, the newest first; `GET /{id}` shows one. */
export function createSweepRouter({ request, find, list }: SweepSource): Router {
  const router = Router();
  router.post('/', jsonBody, async (req, res) => {
    const id = await request({ isDryRun: parseDryRun(req.body) });
    noteTarget(res, id);
    res.status(202).json({ id });
  });
  router.get('/', async (req, res) => {
    const { limit, cursor } = parseListQuery(req.query, {});
    const answer = await readPage(
      { from: parseSeq(cursor, Number.MAX_SAFE_INTEGER), limit },
      ({ from: beforeSeq, limit: some }) => list({ beforeSeq, limit: some }),
      (rows) => rows.map(toSweepView),
    );
    res.set('Cache-Control', 'no-store').json(answer);
  });
  router.get('/:id', async (req, res) => {
    const row = await find(req.params.id);
    if (row === undefined) {
      res.status(404).json({ code: 'unknown-sweep', message: 'There is no sweep with this id.' });
      return;
    }
    res.set('Cache-Control', 'no-store').json(toSweepView(row));
  });
  return router;
}

/** Without a body it is none. */
function parseDryRun(body: unknown): boolean {
  const { dryRun = false } = parseBody(body, ['dryRun'], '{"dryRun": true}');
  if (typeof dryRun === 'boolean') return dryRun;
  throw new InvalidRequest('dryRun is true or false.');
}

/** `GET /` lists drifts, the oldest first; `?kind=` and `?status=` choose, `?limit=` and `?cursor=` page. */
export function createDriftRouter({ listDrifts }: SweepSource): Router {
  return Router().get('/', answerDrifts(listDrifts));
}

function answerDrifts(listDrifts: SweepSource['listDrifts']): RequestHandler {
  return async (req, res) => {
    const known = { kind: DRIFT_KINDS, status: DRIFT_STATUSES };
    const { limit, cursor, filters } = parseListQuery(req.query, known);
    const kind = DRIFT_KINDS.find((one) => one === filters.kind);
    const status = DRIFT_STATUSES.find((one) => one === filters.status);
    const answer = await readPage(
      { from: parseSeq(cursor, 0), limit },
      ({ from: afterSeq, limit: some }) => listDrifts({ kind, status, afterSeq, limit: some }),
      (rows) => rows.map(toDriftAnswer),
    );
    res.set('Cache-Control', 'no-store').json(answer);
  };
}

function toSweepView(row: SweepRow): SweepView {
  return {
    id: row.id,
    status: row.status,
    dryRun: row.dry_run === 1,
    planId: row.plan_id,
    startedAt: new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    admins: row.reads_admins === 1,
    calls: row.calls,
    counts: parseStored<Partial<SweepCounts>>(row.counts),
    reasons: parseStored<string[]>(row.reasons),
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
    firstSeen: new Date(firstSeenAt).toISOString(),
    lastSeen: new Date(lastSeenAt).toISOString(),
    detector: drift.detector,
    planId: drift.planId,
    note: toNote(drift),
  };
}

function toNote({ note: text, notedBy: by, ignoredUntil }: DriftView): DriftAnswer['note'] {
  if (text === null) return null;
  return { text, by, until: ignoredUntil === null ? null : new Date(ignoredUntil).toISOString() };
}

function toWho({ authorId, username, address, at }: Author): WhoAnswer {
  return { id: authorId, username, address, at: new Date(at).toISOString() };
}
