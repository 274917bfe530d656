import { setImmediate as nextTurn } from 'node:timers/promises';
import { listStuck } from '../../domain/failure.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { WrittenPath } from '../../domain/kept-request.ts';
import { findAccountObstacle } from '../../reconcile/repair/current.ts';
import { type ActRow, listActsOf } from '../../store/audit/acts.ts';
import { type EventView, listEventsAbout, listNameKeys } from '../../store/audit/events.ts';
import type { RequestRow } from '../../store/audit/requests.ts';
import * as stored from '../../store/audit/timeline.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { parseCells, parseStored } from '../../store/engine/columns.ts';
import { listMeant } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listNewest } from '../../store/tables.ts';
import { answerKeyed, listKeyedPaths } from '../http/keyed.ts';
import { ok, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests for the past of a user or group: writes of providers, calls of the bridge, the audit log and reads. */
export const timelineRoutes = listKeyedPaths('timeline').map(({ path, type, of }) =>
  route({
    method: 'get',
    path,
    tag: 'People and groups',
    summary: `What led to the state ${of}, the newest of it, the oldest first.`,
    newest: true,
    answers: { 200: 'Timeline', 404: 'Problem', 409: 'Problem' },
    async handle({ recordsStored, store: { read: db } }: OpsSources, { params, query: { limit } }) {
      await recordsStored();
      return answerKeyed(await listMeant(db, params.key, type), async (row) =>
        ok(await readTimeline(db, row, limit)),
      );
    },
  }),
);

type Source = OpsJson<'Happening'>['source'];

/** One thing that happened, before names are known. */
interface Happening {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly source: Source;
  readonly text: string;
  /** The SCIM ids of the others. */
  readonly others: readonly string[];
  readonly detail: JsonObject;
}

interface Past extends stored.PastQuery {
  readonly row: ResourceRow;
  /** Its beginning (epoch milliseconds). */
  readonly since: number;
}

/** The order within one moment: requests, then acts, then observations. */
const ORDER: Source[] = ['provider', 'operator', 'bridge', 'audit', 'outage', 'seen', 'drift'];

async function readTimeline(db: Db, row: ResourceRow, limit: number): Promise<OpsJson<'Timeline'>> {
  const { type, id, name, origin, deleted_at, created_at: since } = row;
  const accountId = type === 'user' && row.upstream_id ? String(row.upstream_id) : undefined;
  const collected = await collect(db, { row, id, accountId, limit, since });
  const all = [...collected, ...ofRow(row), ...ofDeletion(row, collected)].toSorted(
    (a, b) => a.at - b.at || ORDER.indexOf(a.source) - ORDER.indexOf(b.source),
  );
  const shown = all.slice(-limit);
  const names = await stored.listNames(db, new Set(shown.flatMap(({ others }) => others)));
  const items = shown.map((one) => ({
    ...one,
    at: toMoment(one.at),
    others: one.others.map((other) => ({ id: other, name: names.get(other) ?? null })),
  }));
  const head = { type, id, name, managed: origin ?? 'no', deleted: deleted_at !== null } as const;
  return { ...head, items, more: all.length > limit };
}

/** Reads the past of a user or group beside its own row, in no order; the newest of each source. */
async function collect(db: Db, past: Past): Promise<Happening[]> {
  const { id, limit } = past;
  const newest = { from: Number.MAX_SAFE_INTEGER, limit };
  const found: Happening[] = [];
  const sources = [
    async () =>
      (await listNewest(db, 'requests', { resource_id: id }, newest)).map((row) => ofRequest(row)),
    () => collectCalls(db, past),
    () => collectGroupRequests(db, past),
    async () => (await listActsOf(db, past)).flatMap(ofAct),
    () => collectEvents(db, past),
    async () => (await stored.listDriftsOf(db, past)).flatMap((drift) => ofDrift(drift, past)),
    async () => (await stored.listStuckPlaces(db, past)).map((place) => ofStuckPlace(place, id)),
  ];
  for (const read of sources) {
    found.push(...(await read()));
    // Other requests are served between them.
    await nextTurn();
  }
  return found;
}

/** Finds the requests for groups that a user's memberships and admin rights come from. */
async function collectGroupRequests(db: Db, past: Past): Promise<Happening[]> {
  if (past.row.type === 'group') return [];
  const found = new Map(
    (await stored.listRequestsForPlaces(db, past)).map((row) => [row.seq, row]),
  );
  return [...found.values()].map((row) => ofRequest(row, past.id));
}

/** Renders a request; for a user, one for a group names the group. */
function ofRequest(row: RequestRow, subject?: string): Happening {
  const { at, request_id, method, route, status, scim_type, client, credential } = row;
  const written = parseStored<WrittenPath[]>(row.written).map((one): JsonObject => ({ ...one }));
  const paths = written.map(({ op, path, values }) => `${op} ${path} (${values})`).join(', ');
  const text = [
    `${method} ${route}${paths && ': '}${paths}, answered ${status}`,
    scim_type && ` ${scim_type}`,
    client !== null && `, by ${client}`,
    credential && `, with ${credential}`,
  ];
  const detail = { requestId: request_id, method, route, written, status, scimType: scim_type };
  return {
    ...toHappening(at, 'provider', text.filter(Boolean).join(''), {
      ...detail,
      client,
      credential,
    }),
    others: subject === undefined || row.resource_id === null ? [] : [row.resource_id],
  };
}

async function collectCalls(db: Db, past: Past): Promise<Happening[]> {
  const calls = await stored.listCallsOf(db, past);
  const accounts = new Set(calls.flatMap(({ member_id: account }) => account ?? []));
  const people = await stored.listUserIds(db, accounts);
  return calls.map((call): Happening => {
    const { at, kind, operation, resource_id, member_id, upstream_id, outcome, error } = call;
    const member = people.get(member_id ?? '');
    const ids = { upstreamId: upstream_id, memberUpstreamId: member_id };
    const text = `${kind}, by ${operation}: ${toOutcomeWords(call)}`;
    return {
      ...toHappening(at, 'bridge', text, { kind, operation, ...ids, outcome, error }),
      others: [resource_id, member].flatMap((one) => (!one || one === past.id ? [] : one)),
    };
  });
}

function toOutcomeWords({ outcome, error }: stored.PastCall): string {
  if (outcome === null) return 'outcome not known';
  const words = {
    done: 'done',
    refused: `refused (${error})`,
    unknown: `failed (${error}), it may have been done`,
    'not-sent': `not sent (${error})`,
  };
  return words[outcome];
}

/** Beginning and end of an outage: of the token, or of the service. */
const OUTAGES = {
  credentials: ['the service refuses the token', 'the service takes the token again'],
  service: ['the service does not work', 'the service works again'],
} as const;

function ofAct({ at, kind, act, operator, target, ended_at }: ActRow): Happening[] {
  const detail = { act, operator: operator === '' ? null : operator, target: target || null };
  if (kind === 'operator') {
    return [{ at, source: 'operator', text: `${operator} ${act}`, others: [], detail }];
  }
  const [text, over] = OUTAGES[act === 'credentials' ? act : 'service'];
  const begun: Happening = { at, source: 'outage', text, others: [], detail };
  return ended_at === null ? [begun] : [begun, { ...begun, at: ended_at, text: over }];
}

async function collectEvents(db: Db, { row, id, limit }: Past): Promise<Happening[]> {
  const subject = { resource_type: row.type, resource_id: id };
  const keys = (await listNameKeys(db, [subject])).get(id) ?? [];
  const always = { from: 0, until: Number.MAX_SAFE_INTEGER };
  const bySubject = await listEventsAbout(db, { subjects: [id, ...keys], ...always, limit });
  const events = new Map([...bySubject.values()].flat().map((event) => [event.id, event]));
  return [...events.values()].map((event) => {
    const { id: eventId, at, createdAt, action, message, origin, authorId } = event;
    const who = { id: authorId, username: event.username, address: event.address };
    const said = { eventId, loggedAt: toMoment(createdAt), action, message };
    const words = message === null ? '' : ` "${message}"`;
    const text = `${action}${words}, by ${toAuthorWords(event)}`;
    return {
      ...toHappening(at, 'audit', text, { ...said, ours: origin === 'ours', who }),
      others: event.named.flatMap((one) => (one.id === id ? [] : one.id)),
    };
  });
}

function toAuthorWords({ origin, authorId, username, address }: EventView): string {
  if (origin === 'ours') return 'the account of the bridge';
  const name = username ?? (authorId === null ? 'somebody' : `account ${authorId}`);
  return `${name}${address === null ? '' : ` from ${address}`}`;
}

const DRIFT_ENDS: Readonly<Partial<Record<DriftRow['status'], string>>> = {
  repaired: 'repaired: the service holds what is wanted',
  accepted: 'accepted: what there is, is wanted now',
  gone: 'gone by itself, or by a write of the provider',
};

function ofDrift(drift: DriftRow, { id, row }: Past): Happening[] {
  const { kind, status, detector, first_seen_at: at, ended_at: endedAt } = drift;
  const isMissing = kind === 'user.missing' && row.type === 'user';
  const reason = drift.note ?? (isMissing ? findAccountObstacle(row) : undefined) ?? null;
  const note = endedAt === null ? reason : null;
  const words = note === null ? '' : `; ${note}`;
  const found: Happening = {
    at,
    source: 'drift',
    text: `${kind} found: wanted ${drift.desired}, there is ${drift.observed}${words}`,
    others: [drift.resource_id, drift.member_id].filter((one) => one !== '' && one !== id),
    detail: {
      kind,
      status,
      detector: detector ?? 'sweep',
      desired: parseStored<JsonValue>(drift.desired),
      observed: parseStored<JsonValue>(drift.observed),
      note,
    },
  };
  if (endedAt === null) return [found];
  return [found, { ...found, at: endedAt, text: `${kind} ${DRIFT_ENDS[status] ?? status}` }];
}

function ofStuckPlace(
  { list, groupId, userId, since: at, problem }: stored.StuckPlace,
  id: string,
): Happening {
  const { code = null, words = null } = problem ?? {};
  const others = [groupId, userId].filter((one) => one !== id);
  const why = words === null ? '' : `: ${words}`;
  const text = `stuck in ${list}, the service refuses it since then${why}`;
  return { at, source: 'bridge', text, others, detail: { stuck: list, code, words } };
}

function ofRow(row: ResourceRow): Happening[] {
  const { observed } = row.type === 'user' ? toUserState(row) : toGroupState(row);
  const first = row.origin === 'created' ? 'first asked for' : 'first seen in the service';
  const stuck = listStuck(parseCells<string>(row)).map(([field, { since, problem }]) => {
    const { code, words } = problem;
    const text = `${field} stuck, the service refuses it since then: ${words}`;
    return toHappening(since, 'bridge', text, { stuck: field, code, words });
  });
  const { at, by } = observed ?? {};
  const seen =
    at === undefined || by === undefined
      ? []
      : [toHappening(at, 'seen', `last seen in the service, by ${by}`, { by })];
  return [toHappening(row.created_at, 'seen', first), ...seen, ...stuck];
}

/** The deletion as the row has it: nothing where the request that asked for it is among what happened. */
function ofDeletion({ deleted_at: at }: ResourceRow, collected: readonly Happening[]): Happening[] {
  if (at === null) return [];
  const distance = (one: Happening) => Math.abs(one.at - at);
  const [reason] = collected
    .filter((one) => isDelete(one) || isAcceptedGone(one))
    .toSorted((a, b) => distance(a) - distance(b));
  if (reason === undefined) {
    return [toHappening(at, 'seen', 'deleted; no DELETE of a provider for it is kept')];
  }
  if (isDelete(reason)) return [];
  return [toHappening(at, 'seen', 'deleted: it was seen gone, and that was accepted')];
}

/** True for a DELETE of the subject itself that was not refused. */
function isDelete({ source, others, detail: { method, status } }: Happening): boolean {
  return (
    source === 'provider' && others.length === 0 && method === 'DELETE' && Number(status) < 400
  );
}

function isAcceptedGone({ detail: { kind, status } }: Happening): boolean {
  return kind === 'group.missing' && status === 'accepted';
}

function toHappening(at: number, source: Source, text: string, detail: JsonObject = {}): Happening {
  return { at, source, text, others: [], detail };
}
