import type { PollState } from '../../reconcile/audit/poller.ts';
import { LATE_MS, POLL_STATE } from '../../reconcile/audit/poller.ts';
import { listForeignGroups } from '../../store/links/of-users.ts';
import type { EventView } from '../../store/logs.ts';
import { listActs, listAskers, listEventsAbout } from '../../store/logs.ts';
import type { LeaverRow } from '../../store/resources/backlog.ts';
import { findRemovalCall, listLeavers } from '../../store/resources/backlog.ts';
import { listMeant } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import type { Row } from '../../store/tables.ts';
import { listNewest, listWhere } from '../../store/tables.ts';
import { InvalidRequest, missing } from '../http/body.ts';
import { NEWEST, parseCursor, toPage } from '../http/list-query.ts';
import { getOnly, listRoute, ok, route, toMeantId } from '../http/route.ts';
import { acts } from '../lists/acts.ts';
import { records } from '../lists/records.ts';
import { isDate } from '../schemas/kinds.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';

/** Requests for the logs of requests and acts, for those who left, and about notifications. */
export const recordRoutes = [
  listRoute(
    records.REQUESTS,
    async ({ store: { read: db }, recordsStored }, { credential: key, ...filters }, part) => {
      await recordsStored();
      const named = key ? await listWhere(db, 'credentials', { kind: KIND, name: key }) : [];
      const of = {
        resource_id: await toMeantId(db, filters.resource),
        resource_type: filters.type,
        credential: key && [key, ...named.map(toCredentialId)],
        status: filters.status === undefined ? undefined : parseStatuses(filters.status),
        exchange: filters.traced ? ({ '<>': null } as const) : undefined,
      };
      const rows = await listNewest(db, 'requests', of, part);
      return (await addCredentialNames(db, rows)).flatMap((row) => row ?? []);
    },
    (row, { findRepairWords }) => {
      const { resource_type: type, resource_id: id } = row;
      return toView('Request', row, {
        resource: type === null || id === null ? null : { type, id },
        written: row.written.map((one) => ({
          ...one,
          // Under the kind of a reason, and not under an attribute.
          words: /^(drop|repair|refuse)$/.test(one.op) ? findRepairWords(one.path) : null,
        })),
      });
    },
  ),
  listRoute(
    records.ACTS,
    async ({ store, recordsStored }, { operator, target: meant = '', outcome }, part) => {
      await recordsStored();
      const found = await listMeant(store.read, meant);
      // What is no user and no group may be the id of something else.
      const target = found.length > 0 ? getOnly(found).id : meant || undefined;
      const status = outcome && STATUSES[outcome];
      return listActs(store.read, { operator, target, status, ...part });
    },
    (row) =>
      toView('Act', row, {
        id: `act-${row.id}`,
        credential: row.credential || null,
        address: row.address || null,
        request: row.route === '' ? null : `${row.method} ${row.route}`,
        requestId: row.request_id || null,
        target: row.target || null,
        // Without an answer something was changed all the same.
        outcome: (row.status ?? 0) < 400 ? 'done' : Number(row.status) < 500 ? 'refused' : 'failed',
        before: row.state_before,
        after: row.state_after,
      }),
  ),
  route(records.LEAVERS, async ({ store }, { query: { cursor, limit, filters } }) => {
    const { status } = filters;
    const userId = await toMeantId(store.read, filters.resource);
    const since = parseDate('since', filters.since ?? '1970-01-01');
    const [left_at = NEWEST, seq = 0] = parseCursor(cursor);
    const after = { left_at, seq };
    const rows = await listLeavers(store.read, { userId, status, since, after, limit });
    const last = rows.length < limit ? undefined : rows.at(-1);
    const nextCursor = last === undefined ? null : `${last.left_at}-${last.seq}`;
    return ok({ items: await prove(store.read, rows), nextCursor });
  }),
  route(records.NOTIFICATIONS, async ({ store }, { query }) => {
    const { receiver: name } = query.filters;
    const waiting = { receiver: name, phase: { '<>': 'active' } } as const;
    const order = ['since', 'receiver', 'key'] as const;
    const some = await listWhere(store.read, 'notices', waiting, { order });
    const items = some.map((row) =>
      toView('Notification', row, { at: row.since, nextAttemptAt: row.due_at }),
    );
    return ok(toPage(items, query));
  }),
  route(acts.NOTIFICATIONS_TEST, async ({ notifications }, { body: { receiver } }) => {
    const known = notifications.receivers;
    const isKnown = receiver === undefined ? known.length > 0 : known.includes(receiver);
    if (!isKnown) missing(`The setting notify.receivers has ${known.join(', ') || 'none'}.`);
    return ok({ ids: await notifications.test(receiver) });
  }),
] as const;

const KIND: readonly ['token', 'client'] = ['token', 'client'];
const toCredentialId = ({ kind, id }: { kind: string; id: string }) => `${kind}-${id}`;

/** Adds the name of its credential to each request; null: it is one of the settings. */
export async function addCredentialNames(
  db: Db,
  requests: readonly (Row<'requests'> | undefined)[],
) {
  const id = requests.map((request) => `${request?.credential.replace(/^\w+-/, '')}`);
  const found = await listWhere(db, 'credentials', { kind: KIND, id });
  const names = new Map(found.map((one) => [toCredentialId(one), one.name]));
  return requests.map(
    (one) => one && { ...one, credentialName: names.get(one.credential) ?? null },
  );
}

/** Reads a parameter that is a date or a moment, as epoch milliseconds. @throws InvalidRequest */
export function parseDate(name: string, text: string): number {
  if (isDate(text)) return Date.parse(text);
  throw new InvalidRequest(`\`${name}\` is a date such as 2027-01-31, or a moment in UTC.`);
}

function parseStatuses(text: string): { readonly '>=': number; readonly '<=': number } {
  if (!/^([2-5]xx|[1-5]\d\d)$/.test(text))
    throw new InvalidRequest('`status` is a number such as 409, or 2xx to 5xx.');
  const [first, last] = [text.replace('xx', '00'), text.replace('xx', '99')];
  return { '>=': Number(first), '<=': Number(last) };
}

async function prove(db: Db, rows: readonly LeaverRow[]): Promise<OpsJson<'Leaver'>[]> {
  const log = await POLL_STATE.find(db);
  const calls = await Promise.all(
    rows.map(({ id, left_at: from, out_at }) =>
      findRemovalCall(db, { id, from, until: out_at ?? NEWEST }),
    ),
  );
  const kind = 'user.deactivate' as const;
  const asked = rows.map(({ id, left_at }) => ({ kind, resource_id: id, at: left_at }));
  const askers = await addCredentialNames(db, await listAskers(db, asked));
  const ids = rows.map(({ id }) => id);
  const always = { from: 0, until: NEWEST, limit: EVENTS_MAX };
  const events = await listEventsAbout(db, ids, always);
  const out = rows.flatMap(({ id, status }) => (status === 'out' ? id : []));
  const foreign = Map.groupBy(await listForeignGroups(db, out), ({ userId }) => userId);
  return rows.map((row, place) => {
    const { id, status, left_at: leftAt, out_at: outAt } = row;
    const [call, asker] = [calls[place], askers[place]];
    const waits = status === 'waits';
    return toView('Leaver', row, {
      person: row,
      asked: asker ? { ...asker, requestId: asker.request_id } : null,
      acceptedAt: leftAt,
      sent: call ?? null,
      seenAt: outAt,
      logged: toLogged(row, findEvent(row, call, events.get(id)), log),
      remains: status === 'out' ? { owner: row.owner, groups: foreign.get(id) ?? [] } : null,
      tookMs: outAt === null ? null : Math.max(0, Math.round(outAt - (asker?.at ?? leftAt))),
      problem: waits ? row.last_error : null,
      nextAttemptAt: waits ? row.due_at : null,
      planId: waits ? row.plan : null,
    });
  });
}

/** Distance in time between a call and its entry in the audit log, at most, in milliseconds. */
const LOG_DISTANCE_MS = 3 * 60_000;
const EVENTS_MAX = 500;
/** Actions by which somebody loses access, as services write them. */
const IS_REMOVAL = /deactivat|suspen|disabl|depersonali|^delete$|user\W?deleted/i;

/** Finds the event of a removal that is nearest to the call, or to when the person was seen to be out. */
function findEvent(
  { left_at, out_at }: LeaverRow,
  call: { readonly at: number } | undefined,
  events: readonly EventView[] = [],
): EventView | undefined {
  const from = call === undefined ? 0 : call.at - LOG_DISTANCE_MS;
  const until = (out_at ?? call?.at ?? left_at) + LOG_DISTANCE_MS;
  const isNear = ({ at, action }: EventView) =>
    at >= from && at <= until && IS_REMOVAL.test(action);
  const toDistance = ({ at }: EventView) => Math.abs(at - (call?.at ?? out_at ?? left_at));
  return events.filter(isNear).toSorted((a, b) => toDistance(a) - toDistance(b))[0];
}

const NOTHING = { eventId: null, at: null, ours: null, who: null, code: null } as const;

/** What the service's audit log says: "could not be read" is told apart from "has no entry". */
function toLogged(row: LeaverRow, event: EventView | undefined, log: PollState | undefined) {
  if (event !== undefined) {
    const { id: eventId, created_at: at, origin, author_id } = event;
    const who = { ...event, id: author_id };
    return { state: 'logged', eventId, at, ours: origin === 'ours', who, code: null } as const;
  }
  const code = log === undefined ? 'not-read' : (log.failure?.code ?? null);
  if (log === undefined || code !== null) return { ...NOTHING, state: 'unreadable', code } as const;
  const isRead = log.readAt >= (row.out_at ?? row.left_at) + LATE_MS;
  return { ...NOTHING, state: isRead ? 'silent' : 'waits' } as const;
}

const STATUSES = { done: [200, 399], refused: [400, 499], failed: [500, 599] } as const;
