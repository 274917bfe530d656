import { listStuck } from '../../domain/failure.ts';
import type { JsonObject } from '../../domain/json.ts';
import { findAccountObstacle } from '../../reconcile/repair/obstacle.ts';
import { listNames } from '../../store/audit/timeline.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { answerKeyed, type KeyedType, listKeyedPaths, readKeyed } from '../http/keyed.ts';
import { toMoment } from '../http/moment.ts';
import { route } from '../http/route.ts';
import type { Timeline, TimelineItem } from '../schemas/resources.ts';
import type { OpsSources } from '../sources.ts';
import { collect, type Happening, type Past } from './collect.ts';

const told = {
  method: 'get',
  tag: 'People and groups',
  newest: true,
  answers: { 200: 'Timeline', 404: 'Problem', 409: 'Problem' },
} as const;

/** Requests for the past of a user or group: writes of providers, calls of the bridge, the audit log and reads. */
export const timelineRoutes = listKeyedPaths('timeline').map(({ path, type, of }) =>
  route({
    ...{ ...told, path },
    summary: `What led to the state ${of}, the newest of it, the oldest first.`,
    handle: (sources: OpsSources, call) => tell(sources, call, type),
  }),
);

interface Asked {
  readonly params: { readonly key: string };
  readonly query: { readonly limit: number };
}

/** Tells the past: the newest of it, at most so much. */
async function tell(sources: OpsSources, asked: Asked, type: KeyedType) {
  await sources.recordsStored();
  const { read: db } = sources.store;
  const { limit } = asked.query;
  const keyed = await readKeyed(db, asked.params.key, type, {
    user: (row) => readTimeline(db, ofUser(row), limit),
    group: (row) => readTimeline(db, ofGroup(row), limit),
  });
  return answerKeyed(keyed);
}

interface Subject extends Pick<Past, 'type' | 'accountId' | 'obstacle'> {
  readonly name: string;
  readonly row: ResourceRow;
  readonly observed: { readonly at: number; readonly by: string } | undefined;
}

function ofUser(row: UserRow): Subject {
  const { name, upstream_id: account } = row;
  const { observed } = toUserState(row);
  const accountId = account === null ? undefined : String(account);
  return { type: 'user', row, name, observed, accountId, obstacle: findAccountObstacle(row) };
}

function ofGroup(row: GroupRow): Subject {
  const { observed } = toGroupState(row);
  const name = row.name;
  return { type: 'group', row, name, observed, accountId: undefined, obstacle: undefined };
}

/** The order within one moment: requests, then acts, then observations. */
const ORDER: readonly TimelineItem['source'][] = [
  'provider',
  'operator',
  'bridge',
  'audit',
  'outage',
  'seen',
  'drift',
];

async function readTimeline(db: Db, subject: Subject, limit: number): Promise<Timeline> {
  const { type, name, row } = subject;
  const { id, created_at: since } = row;
  const collected = await collect(db, { ...subject, id, limit, since });
  const all = [...collected, ...ofRow(subject), ...ofDeletion(row, collected)].toSorted(
    (a, b) => a.at - b.at || ORDER.indexOf(a.source) - ORDER.indexOf(b.source),
  );
  const shown = all.slice(-limit);
  const names = await listNames(db, new Set(shown.flatMap(({ others }) => others)));
  return {
    type,
    id,
    name,
    managed: row.origin ?? 'no',
    deleted: row.deleted_at !== null,
    items: shown.map(({ at, source, text, others, detail }) => ({
      at: toMoment(at),
      source,
      text,
      others: others.map((other) => ({ id: other, name: names.get(other) ?? null })),
      detail,
    })),
    more: all.length > limit,
  };
}

/** The past as the row itself has it. */
function ofRow({ row, observed }: Subject): Happening[] {
  const stuck = listStuck(parseCells<string>(row));
  const first = row.origin === 'created' ? 'first asked for' : 'first seen in the service';
  return [
    toHappening(row.created_at, 'seen', first),
    ...(observed === undefined ? [] : [toLastSeen(observed)]),
    ...stuck.map(([field, { since, problem }]) => {
      const { code, words } = problem;
      const text = `${field} stuck, the service refuses it since then: ${words}`;
      return toHappening(since, 'bridge', text, { stuck: field, code, words });
    }),
  ];
}

function toLastSeen({ at, by }: NonNullable<Subject['observed']>): Happening {
  return toHappening(at, 'seen', `last seen in the service, by ${by}`, { by });
}

/** The deletion as the row has it: nothing where the request that asked for it is told. */
function ofDeletion(
  { deleted_at: at }: Subject['row'],
  collected: readonly Happening[],
): Happening[] {
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

function toHappening(
  at: number,
  source: TimelineItem['source'],
  text: string,
  detail: JsonObject = {},
): Happening {
  return { at, source, text, others: [], detail };
}
