import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertNever } from '../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { WrittenPath } from '../../domain/kept-request.ts';
import { BY_OPERATOR } from '../../domain/words.ts';
import { type ActRow, listActsOf } from '../../store/audit/acts.ts';
import { type EventView, listEventsAbout, listNameKeys } from '../../store/audit/events.ts';
import { listRequests, type RequestRow } from '../../store/audit/requests.ts';
import {
  listCallsOf,
  listDriftsOf,
  listRequestsForPlaces,
  listStuckPlaces,
  listUserIds,
  type PastCall,
  type PastDrift,
  type PastQuery,
  type StuckPlace,
} from '../../store/audit/timeline.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import { toMoment } from '../http/moment.ts';
import type { TimelineItem } from '../schemas/resources.ts';

/** One thing that happened, before names are known. */
export interface Happening {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly source: TimelineItem['source'];
  readonly text: string;
  /** The SCIM ids of the others. */
  readonly others: readonly string[];
  readonly detail: JsonObject;
}

/** The resource whose past is read. */
export interface Past extends PastQuery {
  readonly type: 'user' | 'group';
  /** Beginning of its past (epoch milliseconds). */
  readonly since: number;
  /** Why no new account can be made for it; undefined: one can, or it is a group. */
  readonly obstacle: string | undefined;
}

/** Reads the past of a user or group beside its own row, in no order; the newest of each source. */
export async function collect(db: Db, past: Past): Promise<Happening[]> {
  const { id, limit } = past;
  const all = { resourceId: id, status: undefined, beforeSeq: Number.MAX_SAFE_INTEGER, limit };
  const found: Happening[] = [];
  const sources = [
    async () => (await listRequests(db, all)).map((row) => ofRequest(row)),
    () => collectCalls(db, past),
    () => collectGroupRequests(db, past),
    async () => (await listActsOf(db, past)).flatMap(ofAct),
    () => collectEvents(db, past),
    async () => (await listDriftsOf(db, past)).flatMap((drift) => ofDrift(drift, past)),
    async () => (await listStuckPlaces(db, past)).map((place) => ofStuckPlace(place, id)),
  ];
  for (const read of sources) {
    found.push(...(await read()));
    // Other requests are served between them.
    await nextTurn();
  }
  return found;
}

/** Finds the requests for groups that a user's memberships and admin rights come from. */
async function collectGroupRequests(
  db: Db,
  { type, id, accountId, limit }: Past,
): Promise<Happening[]> {
  if (type === 'group') return [];
  const found = new Map<number, RequestRow>();
  for (const row of await listRequestsForPlaces(db, { id, accountId, limit }))
    found.set(row.seq, row);
  return [...found.values()].map((row) => ofRequest(row, id));
}

/** Renders a request; for a user, one for a group names the group. */
function ofRequest(row: RequestRow, subject?: string): Happening {
  const written = parseStored<WrittenPath[]>(row.written);
  const paths = written.map(({ op, path, values }) => `${op} ${path} (${values})`).join(', ');
  const word = row.scim_type === null ? '' : ` ${row.scim_type}`;
  const by = row.client === null ? '' : `, by ${row.client}`;
  const credential = row.credential === '' ? '' : `, with ${row.credential}`;
  return {
    at: row.at,
    source: 'provider',
    text: `${row.method} ${row.route}${paths === '' ? '' : `: ${paths}`}, answered ${row.status}${word}${by}${credential}`,
    others: subject === undefined || row.resource_id === null ? [] : [row.resource_id],
    detail: {
      requestId: row.request_id,
      method: row.method,
      route: row.route,
      written: written.map((one): JsonValue => ({ ...one })),
      status: row.status,
      scimType: row.scim_type,
      client: row.client,
      credential: row.credential,
    },
  };
}

async function collectCalls(db: Db, past: Past): Promise<Happening[]> {
  const calls = await listCallsOf(db, past);
  const accounts = new Set(calls.flatMap(({ member_id: account }) => account ?? []));
  const people = await listUserIds(db, accounts);
  return calls.map((call) => ofCall(call, past.id, people));
}

function ofCall(call: PastCall, id: string, people: ReadonlyMap<string, string>): Happening {
  const { at, kind, operation, resource_id, member_id } = call;
  const member = member_id === null ? undefined : (people.get(member_id) ?? undefined);
  return {
    at,
    source: 'bridge',
    text: `${kind}, by ${operation}${toOutcomeWords(call)}`,
    others: [resource_id, member].flatMap((one) => (one === undefined || one === id ? [] : one)),
    detail: {
      kind,
      operation,
      upstreamId: call.upstream_id,
      memberUpstreamId: member_id,
      outcome: call.outcome,
      error: call.error,
    },
  };
}

/** The outcome of a call in words; none for a call that worked. */
function toOutcomeWords({ outcome, error }: PastCall): string {
  switch (outcome) {
    case 'done':
      return ': done';
    case 'refused':
      return `: refused (${error})`;
    case 'unknown':
      return `: failed (${error}), it may have been done`;
    case 'not-sent':
      return `: not sent (${error})`;
    case null:
      return ': outcome not known';
    default:
      return assertNever(outcome);
  }
}

function ofAct({ at, kind, act, operator, target, ended_at }: ActRow): Happening[] {
  const detail = { act, operator: operator === '' ? null : operator, target: target || null };
  if (kind === 'operator') {
    return [{ at, source: 'operator', text: `${operator} ${act}`, others: [], detail }];
  }
  const what =
    act === 'credentials' ? 'the service refuses the token' : 'the service does not work';
  const over =
    act === 'credentials' ? 'the service takes the token again' : 'the service works again';
  const begun: Happening = { at, source: 'outage', text: what, others: [], detail };
  return ended_at === null ? [begun] : [begun, { ...begun, at: ended_at, text: over }];
}

async function collectEvents(db: Db, past: Past): Promise<Happening[]> {
  const { id: resourceId, type, limit } = past;
  const keys = (await listNameKeys(db, [{ type, resourceId }])).get(resourceId) ?? [];
  const bySubject = await listEventsAbout(db, {
    subjects: [resourceId, ...keys],
    from: 0,
    until: Number.MAX_SAFE_INTEGER,
    limit,
  });
  const events = new Map([...bySubject.values()].flat().map((event) => [event.id, event]));
  return [...events.values()].map((event) => {
    const others = event.named.filter(({ id }) => id !== resourceId);
    return ofEvent(
      event,
      others.map(({ id }) => id),
    );
  });
}

/** Tells who made an event. */
function toAuthorWords({ origin, authorId, username, address }: EventView): string {
  if (origin === 'ours') return 'the account of the bridge';
  if (origin === 'operator') return BY_OPERATOR;
  const name = username ?? (authorId === null ? 'somebody' : `account ${authorId}`);
  return `${name}${address === null ? '' : ` from ${address}`}`;
}

function ofEvent(event: EventView, others: readonly string[]): Happening {
  const { id, at, createdAt, action, message, origin, authorId, username, address } = event;
  return {
    at,
    source: 'audit',
    text: `${action}${message === null ? '' : ` "${message}"`}, by ${toAuthorWords(event)}`,
    others,
    detail: {
      eventId: id,
      loggedAt: toMoment(createdAt),
      action,
      message,
      ours: origin === 'ours',
      who: { id: authorId, username, address },
    },
  };
}

function ofDrift(drift: PastDrift, { id, obstacle }: Past): Happening[] {
  const { kind, status, detector, resourceId, memberId, firstSeenAt, endedAt } = drift;
  const note = drift.note ?? (kind === 'user.missing' ? obstacle : undefined) ?? null;
  const others = [resourceId, memberId].filter((one) => one !== '' && one !== id);
  const detail: JsonObject = {
    kind,
    status,
    detector: detector ?? 'sweep',
    desired: parseStored<JsonValue>(drift.desired),
    observed: parseStored<JsonValue>(drift.observed),
    note: endedAt === null ? note : null,
  };
  const found: Happening = {
    at: firstSeenAt,
    source: 'drift',
    text: `${kind} found: wanted ${drift.desired}, there is ${drift.observed}${detail.note === null ? '' : `; ${detail.note}`}`,
    others,
    detail,
  };
  if (endedAt === null) return [found];
  return [found, { ...found, at: endedAt, text: `${kind} ${toEndWords(status)}` }];
}

function toEndWords(status: PastDrift['status']): string {
  switch (status) {
    case 'repaired':
      return 'repaired: the service holds what is wanted';
    case 'accepted':
      return 'accepted: what there is, is wanted now';
    case 'gone':
      return 'gone by itself, or by a write of the provider';
    case 'open':
    case 'repairing':
    case 'contested':
    case 'ignored':
      return status;
    default:
      return assertNever(status);
  }
}

function ofStuckPlace(
  { list, groupId, userId, since, problem }: StuckPlace,
  id: string,
): Happening {
  const words = problem === undefined ? '' : `: ${problem.words}`;
  return {
    at: since,
    source: 'bridge',
    text: `stuck in ${list}, the service refuses it since then${words}`,
    others: [groupId, userId].filter((one) => one !== id),
    detail: { stuck: list, code: problem?.code ?? null, words: problem?.words ?? null },
  };
}
