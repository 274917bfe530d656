import { type Insertable, sql } from 'kysely';
import type { ChangeKind } from '../../domain/change.ts';
import { allOf, chunks, select } from '../engine/dialect.ts';
import type { Schema } from '../schema.ts';
import { createShared } from '../shared-state.ts';
import type { Db } from '../store.ts';
import { deleteWhere, type NewestPart, putAll, type Row, updateWhere } from '../tables.ts';

/** A request as stored. */
export type RequestRow = Row<'requests'>;

/** A request to be stored. */
export type NewRequestRow = Omit<Insertable<Schema['requests']>, 'seq'>;

/** A request of a provider, or one operation of a bulk request, without anything that is personal. */
export type KeptRequest = Omit<NewRequestRow, 'entry'>;

/** Stores requests. One that is there already is completed, once. */
export const saveRequests = (tx: Db, rows: readonly NewRequestRow[]) =>
  putAll(tx, 'requests', ['entry'], rows, sql`requests.status = 0`);

type KnownChange = Pick<Row<'plan_actions'>, 'kind' | 'resource_id' | 'planned_at'>;

const ASKED_PART = 100;

/** Finds the last requests for these changes, in their order; undefined: none is kept, or a rule asked. */
export async function listAskers(
  db: Db,
  changes: readonly KnownChange[],
): Promise<(RequestRow | undefined)[]> {
  const found: (RequestRow | undefined)[] = changes.map(() => undefined);
  for (const some of chunks([...changes.entries()], ASKED_PART)) {
    const asked = some.map(
      ([place, { kind, resource_id, planned_at }]) => sql`select * from (
        select ${sql.lit(place)} as place, requests.* from requests
        where resource_id = ${resource_id} and at <= ${planned_at} and status < 400
        and (method = 'DELETE' or written like ${toWritten(kind)})
        order by seq desc limit 1) as asked`,
    );
    const rows = await select<RequestRow & { readonly place: number }>(db)`
      ${sql.join(asked, sql` union all `)}`;
    for (const { place, ...request } of rows) found[place] = request;
  }
  return found;
}

function toWritten(kind: ChangeKind): string {
  if (kind.startsWith('member.')) return '%members%';
  if (kind.startsWith('admin.')) return '%admins%';
  return kind.startsWith('user.') ? '%active%' : '%displayName%';
}

/** Subject of a timeline. */
export interface PastQuery {
  /** The SCIM id. */
  readonly id: string;
  /** The id of a user's account, by which groups name it; undefined: it has none, or it is a group. */
  readonly accountId: string | undefined;
  readonly limit: number;
}

const PLACES_MAX = 50;

/** Finds the request behind each of a user's newest memberships and admin rights. */
export async function listRequestsForPlaces(
  db: Db,
  { id, accountId = '' }: Pick<PastQuery, 'id' | 'accountId'>,
): Promise<RequestRow[]> {
  const places = await select<KnownChange>(db)`
    select * from (select kind, resource_id, at as planned_at from own_calls
      where member_id = ${accountId} and (kind like 'member.%' or kind like 'admin.%')
      order by at desc limit ${PLACES_MAX}) as called
    union all select * from (
      select link.list || '.add', home.id, cast(${Number.MAX_SAFE_INTEGER} as bigint)
      from resources as person join links as link on link.target = person.seq
        join resources as home on home.seq = link.group_id
      where person.id = ${id} and (link.pending is not null or link.stuck_at is not null)
      limit ${PLACES_MAX}) as waiting`;
  return (await listAskers(db, places)).flatMap((request) => request ?? []);
}

type ActRow = Row<'acts'>;

/** Act of an operator that is to be stored. */
export type NewAct = Omit<ActRow, 'id' | 'kind' | 'ended_at'>;

/** Stores the acts of a request. One that is there already is completed, once. */
export async function saveActs(tx: Db, entry: string, acts: readonly NewAct[]): Promise<void> {
  if (acts.length === 0) await deleteWhere(tx, 'acts', { entry });
  const rows = acts.map((act) => ({ ...act, kind: 'operator' as const }));
  await putAll(tx, 'acts', ['entry'], rows, sql`acts.status is null`);
}

/** Stores the beginning of an outage, unless another process has; `at` is epoch milliseconds. */
export async function beginOutage(tx: Db, act: string, at: number): Promise<void> {
  await sql`insert into acts (kind, act, operator, target, at, everyone)
    select 'outage', ${act}, '', '', cast(${at} as bigint), 1
    where not exists (select 1 from acts
      where target = '' and kind = 'outage' and act = ${act} and ended_at is null)`.execute(tx);
}

/** Stores the end of an outage; `at` is epoch milliseconds. */
export async function endOutage(tx: Db, act: string, at: number): Promise<void> {
  const open = { target: '', kind: 'outage', act, ended_at: null } as const;
  await updateWhere(tx, 'acts', open, { ended_at: at });
}

/** Lists acts of operators, the newest first: those of a credential, by its name or id, and with statuses between two. */
export function listActs(
  db: Db,
  {
    operator,
    target,
    status,
    from,
    limit,
  }: NewestPart & {
    readonly operator: string | undefined;
    /** Id that they were about, or that a drift or plan names that they were about. */
    readonly target: string | undefined;
    readonly status: readonly [from: number, to: number] | undefined;
  },
) {
  const isMeant = allOf([
    sql`kind = 'operator' and id < ${from}`,
    operator && sql`(operator = ${operator} or credential = ${operator})`,
    target && sql`target in (select ${target} union ${driftsOf(target)} union ${plansOf(target)})`,
    status && sql`status between ${status[0]} and ${status[1]}`,
  ]);
  return select<ActRow & { readonly seq: number }>(db)`select acts.*, id as seq from acts
    where ${isMeant} order by id desc limit ${limit}`;
}

/** Lists the newest acts about a user or group, its drifts and plans, and about everything, with outages, since `since`. */
export function listActsOf(
  db: Db,
  { id, since, limit }: { id: string; since: number; limit: number },
) {
  // Each part has an index of its own.
  return select<ActRow>(db)`
    select * from (
      select * from acts where target = ${id}
      union select * from acts where everyone = 1 and at >= ${since}
      union select * from acts where target in (${driftsOf(id)})
      union select * from acts where target in (${plansOf(id)})) as shown
    where status is null or status < 400
    order by at desc, id desc limit ${limit}`;
}

const driftsOf = (id: string) => sql`select id from drifts where resource_id = ${id}
  union select id from drifts where member_id = ${id} and member_id <> ''`;

const plansOf = (id: string) => sql`select plan_id from plan_actions where resource_id = ${id}
  union select plan_id from plan_actions where member_id = ${id} and member_id <> ''`;

/** What operators see of requests: `left-out`: taken without a refused part. `name-recycled`: an account passed on. */
type RemarkKind = 'left-out' | 'name-recycled';

/** Number of requests with the same remark within a day of each other; times in epoch milliseconds. */
export type Remark = Readonly<Record<'requests' | 'since' | 'last', number>>;

const RECENT_MS = 86_400_000;

/** Keeps a remark about a request. */
export async function keepRemark(tx: Db, kind: RemarkKind, now: number): Promise<void> {
  await createShared<Remark>(kind).change(tx, now, (before) => {
    const { requests, since } = toRecent(before, now) ?? { requests: 0, since: now };
    return { requests: requests + 1, since, last: now };
  });
}

/** Finds such requests of the last day. */
export const findRemark = async (db: Db, kind: RemarkKind, now: number) =>
  toRecent(await createShared<Remark>(kind).find(db), now);

const toRecent = (remark: Remark | undefined, now: number) =>
  remark && now - remark.last < RECENT_MS ? remark : undefined;
