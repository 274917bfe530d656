import type { WrittenPath } from '../../domain/kept-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { LATE_MS, POLL_STATE, type PollState } from '../../reconcile/audit/poller.ts';
import { type EventView, listEventsAbout } from '../../store/audit/events.ts';
import { type ChangeAsker, listAskers } from '../../store/audit/requests.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  findRemovalCall,
  type LeaverQuery,
  type LeaverRow,
  listForeignGroups,
  listLeavers,
} from '../../store/resources/leavers.ts';
import type { Db } from '../../store/store.ts';
import { listNewest, listWhere } from '../../store/tables.ts';
import { InvalidRequest } from '../http/body.ts';
import { NEWEST, OLDEST, readList, toPage, wrongCursor } from '../http/list-query.ts';
import { listRoute, ok, Problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { LEAVERS, NOTIFICATIONS, REQUESTS } from '../lists/records.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests for the log of requests, for those who left, and about notifications. */
export const recordRoutes = [
  listRoute(
    REQUESTS,
    async ({ store, recordsStored }: OpsSources, { resource, type, credential, status }, part) => {
      await recordsStored();
      const of = {
        resource_id: resource,
        resource_type: type,
        credential,
        status: status === undefined ? status : parseStatuses(status),
      };
      return listNewest(store.read, 'requests', of, part);
    },
    (row, { findRepairWords }) => {
      const { resource_type: type, resource_id: id } = row;
      return toView('Request', row, {
        resource: type === null || id === null ? null : { type, id },
        written: parseStored<WrittenPath[]>(row.written).map((one) => ({
          ...one,
          words: OF_REASON.has(one.op) ? findRepairWords(one.path) : null,
        })),
      });
    },
  ),
  route({
    ...LEAVERS,
    async handle({ store }: OpsSources, { query: { cursor, limit, filters } }) {
      const { status, since: text, resource: userId } = filters;
      const since = text === undefined ? 0 : parseSince(text);
      let after = parseCursor(cursor);
      const read = async (part: { readonly limit: number }) => {
        const rows = await listLeavers(store.read, { userId, status, since, after, ...part });
        after = rows.at(-1) ?? after;
        return rows;
      };
      const page = await readList({ limit, cursor: undefined }, OLDEST, read, (rows) =>
        prove(store.read, rows),
      );
      const isLast = page.nextCursor === null;
      return ok({ ...page, nextCursor: isLast ? null : `${after.left_at}-${after.seq}` });
    },
  }),
  route({
    ...NOTIFICATIONS,
    async handle({ store }: OpsSources, { query }) {
      const { receiver: name } = query.filters;
      const waiting = { receiver: name, phase: { '<>': 'active' } } as const;
      const order = ['since', 'receiver', 'key'] as const;
      const some = await listWhere(store.read, 'notices', waiting, { order });
      const items = some.map((row) =>
        toView('Notification', row, {
          at: toMoment(row.since),
          nextAttemptAt: toMoment(row.due_at),
        }),
      );
      return ok(toPage(items, query));
    },
  }),
  route({
    method: 'post',
    path: '/notifications/test',
    summary: 'Send a notification to one receiver, or to each, to try it.',
    body: 'NotificationTestBody',
    answers: { 200: 'NotificationTest' },
    async handle({ notifications }: OpsSources, { body: { receiver } }) {
      const known = notifications.receivers;
      if (receiver === undefined ? known.length > 0 : known.includes(receiver)) {
        return ok({ ids: await notifications.test(receiver) });
      }
      const message =
        known.length === 0
          ? 'The setting notify.receivers names no receiver.'
          : `No receiver has this name; the setting notify.receivers has ${known.join(', ')}.`;
      throw new Problem(404, 'not-found', message);
    },
  }),
] as const;

/** What was written under the kind of a reason, and not under an attribute. */
const OF_REASON: ReadonlySet<WrittenPath['op']> = new Set(['drop', 'repair', 'refuse']);

/** @throws InvalidRequest */
function parseStatuses(text: string): { readonly '>=': number; readonly '<=': number } {
  if (/^[2-5]xx$/.test(text)) {
    const first = Number(text[0]) * 100;
    return { '>=': first, '<=': first + 99 };
  }
  if (/^[1-5]\d\d$/.test(text)) return { '>=': Number(text), '<=': Number(text) };
  throw new InvalidRequest('status is a number such as 409, or 2xx to 5xx.');
}

/** @throws InvalidRequest */
function parseCursor(cursor: string | undefined): LeaverQuery['after'] {
  if (cursor === undefined) return { left_at: NEWEST, seq: 0 };
  const [, leftAt, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (leftAt === undefined || seq === undefined) throw wrongCursor();
  return { left_at: Number(leftAt), seq: Number(seq) };
}

/** @throws InvalidRequest */
function parseSince(text: string): number {
  const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(at)) return at;
  throw new InvalidRequest('since is a date such as 2027-01-31, or a moment in UTC.');
}

/** Finds what the logs still have of those who left. */
async function prove(db: Db, rows: readonly LeaverRow[]): Promise<OpsJson<'Leaver'>[]> {
  const log = await POLL_STATE.find(db);
  const calls = await Promise.all(
    rows.map(({ id, left_at: from, out_at }) =>
      findRemovalCall(db, { id, from, until: out_at ?? NEWEST }),
    ),
  );
  const kind = 'user.deactivate' as const;
  const asked = rows.map(({ id, left_at }) => ({ kind, resource_id: id, planned_at: left_at }));
  const askers = await listAskers(db, asked);
  const subjects = rows.map(({ id }) => id);
  const always = { from: 0, until: NEWEST };
  const events = await listEventsAbout(db, { subjects, ...always, limit: EVENTS_MAX });
  const out = rows.flatMap(({ id, status }) => (status === 'out' ? id : []));
  const groups = Map.groupBy(await listForeignGroups(db, out), ({ userId }) => userId);
  return rows.map((row, place) => {
    const call = calls[place];
    const { owner, status, id } = row;
    const from = call === undefined ? 0 : call.at - LOG_DISTANCE_MS;
    const until = (row.out_at ?? call?.at ?? row.left_at) + LOG_DISTANCE_MS;
    const near = (events.get(id) ?? []).filter(({ at }) => at >= from && at <= until);
    const event = findNearest(near, call?.at ?? row.out_at ?? row.left_at);
    const named = (groups.get(id) ?? []).map((group) => ({ id: group.id, name: group.name }));
    return {
      ...toAnswer(row, askers[place]),
      sent: call === undefined ? null : { ...call, at: toMoment(call.at) },
      logged: toLogged(row, event, log),
      remains: status === 'out' ? { owner: owner === 1, groups: named } : null,
    };
  });
}

/** Distance in time between a call and its entry in the audit log, at most, in milliseconds. */
const LOG_DISTANCE_MS = 3 * 60_000;
/** Newest events of each person that are searched. */
const EVENTS_MAX = 500;
/** Actions by which somebody loses access, as services write them. */
const IS_REMOVAL = /deactivat|suspen|disabl|depersonali|^delete$|user\W?deleted/i;

function findNearest(events: readonly EventView[], at: number): EventView | undefined {
  const removals = events.filter(({ action }) => IS_REMOVAL.test(action));
  return removals.toSorted((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at))[0];
}

function toAnswer(row: LeaverRow, asker: ChangeAsker | undefined) {
  const { id, name, status, left_at: leftAt, out_at: outAt, last_error: problem, plan } = row;
  const waits = status === 'waits';
  return {
    person: { id, name },
    status,
    asked: asker
      ? { at: toMoment(asker.at), credential: asker.by, requestId: asker.requestId }
      : null,
    acceptedAt: toMoment(leftAt),
    seenAt: toMoment(outAt),
    tookMs: outAt === null ? null : Math.max(0, Math.round(outAt - (asker?.at ?? leftAt))),
    problem: waits && problem !== null ? { ...parseStored<Refusal>(problem) } : null,
    nextAttemptAt: waits ? toMoment(row.due_at) : null,
    planId: waits ? plan : null,
  };
}

const NOTHING = { eventId: null, at: null, ours: null, who: null, code: null } as const;

/** What the service's audit log says: "could not be read" is told apart from "has no entry". */
function toLogged(
  { out_at, left_at }: LeaverRow,
  event: EventView | undefined,
  log: PollState | undefined,
): OpsJson<'Leaver'>['logged'] {
  if (event !== undefined) {
    const { id: eventId, createdAt, origin, authorId: id, username, address } = event;
    const who = { id, username, address };
    const at = toMoment(createdAt);
    return { ...NOTHING, state: 'logged', eventId, at, ours: origin === 'ours', who };
  }
  const code = log === undefined ? 'not-read' : (log.failure?.code ?? null);
  if (log === undefined || code !== null) return { ...NOTHING, state: 'unreadable', code };
  const isRead = log.readAt >= (out_at ?? left_at) + LATE_MS;
  return { ...NOTHING, state: isRead ? 'silent' : 'waits' };
}
