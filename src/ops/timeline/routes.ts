import type { JsonObject } from '../../domain/values.ts';
import { findAccountObstacle } from '../../reconcile/repair/desire.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { listDriftsOf } from '../../store/drifts.ts';
import * as logs from '../../store/logs.ts';
import { listMeant } from '../../store/resources/find.ts';
import { findNames } from '../../store/resources/names.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listNewest } from '../../store/tables.ts';
import { NEWEST } from '../http/list-query.ts';
import { getOnly, listKeyedPaths, ok, route } from '../http/route.ts';
import { addCredentialNames } from '../records/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toMoment, toView } from '../schemas/schemas.ts';

/** Requests for the past of a user or group: writes of providers, calls of the bridge, the audit log and reads. */
export const timelineRoutes = listKeyedPaths('timeline').map(({ path, type, of }) =>
  route(
    {
      path,
      summary: `What led to the state ${of}, the newest of it, the oldest first.`,
      newest: true,
      answers: { 200: 'Timeline' },
    },
    async ({ recordsStored, store: { read: db } }, { params, query: { limit } }) => {
      await recordsStored();
      return ok(await readTimeline(db, getOnly(await listMeant(db, params.key, type)), limit));
    },
  ),
);

/** One thing that happened, before names are known. */
interface Happening extends Pick<OpsJson<'Happening'>, 'source' | 'text'> {
  readonly at: number;
  /** The SCIM ids of those that it is about, whose timeline it is or not; null and empty: none. */
  readonly about?: readonly (string | null)[];
  readonly detail?: JsonObject;
}

interface Past extends logs.PastQuery {
  readonly row: ResourceRow;
}

/** Reads the newest of each source, in no order. Within one moment they are in the order of this list. */
const READERS: readonly ((db: Db, past: Past) => Promise<readonly Happening[]>)[] = [
  readRequests,
  readActs,
  readCalls,
  readEvents,
  async (_db, { row }) => listSeen(row),
  async (db, past) => (await listDriftsOf(db, past)).flatMap((it) => ofDrift(it, past)),
];

async function readTimeline(db: Db, row: ResourceRow, limit: number): Promise<OpsJson<'Timeline'>> {
  const { type, id } = row;
  const accountId = type === 'user' && row.upstream_id ? String(row.upstream_id) : undefined;
  const past = { row, id, accountId, limit };
  const all = (await Promise.all(READERS.map((read) => read(db, past)))).flat();
  const shown = all.toSorted((a, b) => a.at - b.at).slice(-limit);
  const listOthers = ({ about = [] }: Happening) =>
    about.flatMap((one) => (one === id ? [] : one || []));
  const names = await findNames(db, shown.flatMap(listOthers));
  const items = shown.map((one) => {
    const others = listOthers(one).map((other) => {
      return { id: other, name: names.get(other)?.display ?? null };
    });
    return { ...one, others, detail: one.detail ?? {} };
  });
  const [managed, deleted] = [row.origin ?? 'no', row.deleted_at !== null] as const;
  return toView('Timeline', row, { managed, deleted, items, more: all.length > limit });
}

/** Requests for the user or group itself, and those for groups that the calls for a user's memberships and admin rights come from. */
async function readRequests(db: Db, past: Past): Promise<Happening[]> {
  const { id, limit } = past;
  const own = await listNewest(db, 'requests', { resource_id: id }, { from: NEWEST, limit });
  const all = [...own, ...(await logs.listAskers(db, await logs.listCallsOf(db, past)))];
  const bySeq = new Map(all.map((request) => [request?.seq, request]));
  const rows = await addCredentialNames(db, [...bySeq.values()]);
  return rows.flatMap((row) => (row ? ofRequest(row, row.credentialName ?? undefined) : []));
}

function ofRequest(row: logs.RequestRow, name = row.credential): Happening {
  const { at, request_id: requestId, method, route, status, client, credential } = row;
  const { scim_type: scimType } = row;
  const written = row.written.map((one) => ({ ...one }));
  const paths = written.map(({ op, path, values }) => `${op} ${path} (${values})`).join(', ');
  const text = [
    `${method} ${route}${paths && ': '}${paths}, answered ${status}`,
    scimType && ` ${scimType}`,
    client !== null && `, by ${client}`,
    credential && `, with ${name}`,
  ];
  const detail = { requestId, method, route, written, status, scimType, client, credential };
  const about = [row.resource_id];
  return { at, source: 'provider', text: text.filter(Boolean).join(''), about, detail };
}

async function readCalls(db: Db, past: Past): Promise<Happening[]> {
  const calls = await logs.listCallsOf(db, past);
  const upstream_id = calls.flatMap(({ member_id: account }) => Number(account) || []);
  const users = Map.groupBy(await listRows(db, 'user', { upstream_id }), (it) => it.upstream_id);
  return calls.map(
    ({ at, kind, operation, resource_id, member_id, upstream_id, outcome, error }) => {
      const ids = { upstreamId: upstream_id, memberUpstreamId: member_id };
      const detail = { kind, operation, ...ids, outcome, error };
      const about = [resource_id, ...(users.get(Number(member_id)) ?? []).map(({ id }) => id)];
      const words = {
        done: 'done',
        refused: `refused (${error})`,
        unknown: `failed (${error}), it may have been done`,
        'not-sent': `not sent (${error})`,
      };
      const came = outcome === null ? 'outcome not known' : words[outcome];
      return { at, source: 'bridge', text: `${kind}, by ${operation}: ${came}`, about, detail };
    },
  );
}

async function readActs(db: Db, past: Past): Promise<Happening[]> {
  const acts = await logs.listActsOf(db, past, past.row.created_at);
  return acts.flatMap(({ at, kind, act, operator: by, target, ended_at }): Happening[] => {
    const detail = { act, operator: by || null, target: target || null };
    if (kind === 'operator') return [{ at, source: 'operator', text: `${by}: ${act}`, detail }];
    const [text, over] = OUTAGES[act === 'credentials' ? act : 'service'];
    const begun = { at, source: 'outage', text, detail } as const;
    return ended_at === null ? [begun] : [begun, { ...begun, at: ended_at, text: over }];
  });
}

const OUTAGES = {
  credentials: ['the service refuses the token', 'the service takes the token again'],
  service: ['the service does not work', 'the service works again'],
} as const;

async function readEvents(db: Db, { row, limit }: Past): Promise<Happening[]> {
  const subjects = [row.id, ...logs.listNameKeys(row)];
  const bySubject = await logs.listEventsAbout(db, subjects, { from: 0, until: NEWEST, limit });
  const events = new Map([...bySubject.values()].flat().map((event) => [event.id, event]));
  return [...events.values()].map((event) => {
    const { at, action, message, origin, author_id: id, username, address } = event;
    const name = username ?? (id === null ? 'somebody' : `account ${id}`);
    const author = `${name}${address === null ? '' : ` from ${address}`}`;
    const by = origin === 'ours' ? 'the account of the bridge' : author;
    const text = `${action}${message === null ? '' : ` "${message}"`}, by ${by}`;
    const said = { eventId: event.id, loggedAt: toMoment(event.created_at), action, message };
    const detail = { ...said, ours: origin === 'ours', who: { id, username, address } };
    return { at, source: 'audit', text, about: event.named.map(({ subject }) => subject), detail };
  });
}

function listSeen(row: ResourceRow): Happening[] {
  const { observed } = row;
  const moments = [
    [row.created_at, row.origin === 'created' ? 'first asked for' : 'first seen in the service'],
    [observed?.at, `last seen in the service, by ${observed?.by}`, { by: observed?.by ?? '' }],
    [row.deleted_at, 'deleted'],
  ] as const;
  return moments.flatMap(([at, text, detail = {}]): Happening[] =>
    at ? [{ at, source: 'seen', text, detail }] : [],
  );
}

const DRIFT_ENDS: Readonly<Partial<Record<DriftRow['status'], string>>> = {
  repaired: 'repaired: the service holds what is wanted',
  accepted: 'accepted: what there is, is wanted now',
  gone: 'gone by itself, or by a write of the provider',
};

function ofDrift(drift: DriftRow, { row }: Past): Happening[] {
  const { kind, status, desired, observed, first_seen_at: at, ended_at: endedAt } = drift;
  const isMissing = kind === 'user.missing' && row.type === 'user';
  const reason = drift.note ?? (isMissing ? findAccountObstacle(row) : undefined) ?? null;
  const note = endedAt === null ? reason : null;
  const words = note === null ? '' : `; ${note}`;
  const text = `${kind} found: wanted ${JSON.stringify(desired)}, there is ${JSON.stringify(observed)}${words}`;
  const about = [drift.resource_id, drift.member_id];
  const values = { desired, observed };
  const detail = { kind, status, detector: drift.detector ?? 'sweep', ...values, note };
  const found = { at, source: 'drift', text, about, detail } as const;
  if (endedAt === null) return [found];
  return [found, { ...found, at: endedAt, text: `${kind} ${DRIFT_ENDS[status] ?? status}` }];
}
