import {
  LEAVER_STATUSES,
  type LoggedRemoval,
  type Remains,
  type SentRemoval,
} from '../../domain/leaver.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { POLL_STATE, type PollState } from '../../reconcile/audit/poll-state.ts';
import {
  type EventAuthor,
  findEventAuthors,
  findRemovalCall,
  type LeaverQuery,
  type LeaverView,
  listLeavers,
  type RemovalCall,
} from '../../store/audit/leavers.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import { InvalidRequest } from '../http/errors.ts';
import { NEWEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import type { LeaverAnswer } from '../schemas/leavers.ts';
import type { OpsSources } from '../sources.ts';

/** Removal with what other tables tell of it. */
interface ProvenLeaver {
  readonly seq: number;
  readonly row: LeaverView;
  /** Newest call; undefined: there was none, or the ledger has forgotten it. */
  readonly call: RemovalCall | undefined;
  readonly author: EventAuthor | undefined;
  /** Progress of reading the audit log; undefined: it is not read. */
  readonly log: PollState | undefined;
}

async function listProven(db: Db, query: LeaverQuery): Promise<ProvenLeaver[]> {
  const rows = await listLeavers(db, query);
  const eventIds = rows.flatMap((row) => findEventId(row) ?? []);
  const authors = await findEventAuthors(db, eventIds);
  const log = await POLL_STATE.find(db);
  const proven: ProvenLeaver[] = [];
  for (const row of rows) {
    const call = row.sent === null ? await findRemovalCall(db, row) : undefined;
    proven.push({ seq: row.seq, row, call, author: authors.get(findEventId(row) ?? ''), log });
  }
  return proven;
}

function parseLogged({ logged }: LeaverView): LoggedRemoval | undefined {
  return logged === null ? undefined : parseStored<LoggedRemoval>(logged);
}

function findEventId(row: LeaverView): string | undefined {
  const logged = parseLogged(row);
  return logged?.kind === 'logged' ? logged.eventId : undefined;
}

/** The request for removals of access. */
export const leaverRoutes = [
  route({
    method: 'get',
    path: '/leavers',
    tag: 'Leavers',
    summary: 'Removals of access that providers asked for, the newest first, each with its proof.',
    filters: { status: LEAVER_STATUSES, since: 'text', resource: 'text' },
    meanings: {
      since: 'Accepted since then: a date, or a moment.',
      resource: 'Of this SCIM id.',
    },
    answers: { 200: 'LeaverList' },
    async handle({ store }: OpsSources, { query }) {
      const { status, since: text, resource: userId } = query.filters;
      const since = text === undefined ? 0 : parseSince(text);
      const read = ({ from: beforeSeq, limit }: PartQuery) =>
        listProven(store.read, { userId, status, since, beforeSeq, limit });
      return ok(await readList(query, NEWEST, read, toLeaverAnswer));
    },
  }),
] as const;

/** @throws InvalidRequest */
function parseSince(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(at)) return at;
  throw new InvalidRequest('since is a date such as 2027-01-31, or a moment in UTC.');
}

function toLeaverAnswer(leaver: ProvenLeaver): LeaverAnswer {
  const { row } = leaver;
  const { kind, status, asked_at, seen_at, seen_by } = row;
  const waits = status === 'waits';
  return {
    person: { id: row.user_id, name: row.name },
    ...{ kind, status },
    asked: {
      at: toMoment(asked_at),
      credential: row.credential,
      requestId: row.request_id,
    },
    acceptedAt: toMoment(row.accepted_at),
    sent: toSent(leaver),
    seen: seen_at === null ? null : { at: toMoment(seen_at), by: seen_by ?? '' },
    logged: toLogged(leaver),
    remains: toRemains(row),
    tookMs: seen_at === null ? null : Math.max(0, Math.round(seen_at - asked_at)),
    problem: waits && row.problem !== null ? { ...parseStored<Refusal>(row.problem) } : null,
    planId: row.plan,
  };
}

function toSent({ row, call }: ProvenLeaver): LeaverAnswer['sent'] {
  if (row.sent !== null) {
    const { at, operation } = parseStored<SentRemoval>(row.sent);
    return { at: toMoment(at), operation, outcome: 'done', error: null };
  }
  if (call === undefined) return null;
  const { at, operation, outcome, error } = call;
  return { at: toMoment(at), operation, outcome, error };
}

const NOTHING = { eventId: null, at: null, ours: null, who: null, code: null } as const;

function toLogged({ row, author, log }: ProvenLeaver): LeaverAnswer['logged'] {
  const logged = parseLogged(row);
  if (logged?.kind === 'logged') {
    const { eventId, at, ours } = logged;
    return { ...NOTHING, state: 'logged', eventId, at: toMoment(at), ours, who: author ?? null };
  }
  if (logged !== undefined) return { ...NOTHING, state: 'silent' };
  const code = log === undefined ? 'not-read' : (log.failure?.code ?? null);
  return { ...NOTHING, state: code === null ? 'waits' : 'unreadable', code };
}

function toRemains({ remains }: LeaverView): LeaverAnswer['remains'] {
  if (remains === null) return null;
  const { at, parts } = parseStored<Remains>(remains);
  return {
    at: toMoment(at),
    parts: parts.map(({ part, why, found }) => ({ part, looked: why === null, why, found })),
  };
}
