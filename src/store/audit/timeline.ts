import { sql } from 'kysely';
import { allOf, select, toAssignments, toValues } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { deleteWhere, listWhere, type NewestPart, type Row, updateWhere } from '../tables.ts';
import type { RequestRow } from './requests.ts';

/** Subject of a timeline. */
export interface PastQuery {
  /** The SCIM id. */
  readonly id: string;
  /** The id of a user's account, by which groups name it; undefined: it has none, or it is a group. */
  readonly accountId: string | undefined;
  readonly limit: number;
}

/** The newest changes that the bridge made of a user or group, those of a user's place in groups among them. */
export async function listCallsOf(db: Db, { id, accountId, limit }: PastQuery) {
  const newest = { order: 'at desc', limit } as const;
  const own = await listWhere(db, 'own_calls', { resource_id: id }, newest);
  if (accountId === undefined) return own;
  return [...own, ...(await listWhere(db, 'own_calls', { member_id: accountId }, newest))];
}

/** Places of a user in groups whose requests are looked for. */
const PLACES_MAX = 50;

/**
 * Finds the request behind each of a user's newest memberships and admin rights: the last one before the call of the
 * bridge, or so far, that wrote that list of the group.
 */
export function listRequestsForPlaces(db: Db, { id, accountId = '' }: PastQuery) {
  return select<RequestRow>(db)`
    with places as (
      select * from (select resource_id, kind, at from own_calls
        where member_id = ${accountId} and (kind like 'member.%' or kind like 'admin.%')
        order by at desc limit ${PLACES_MAX}) as called
      union all select * from (select home.id, link.list, cast(null as bigint) from resources as person
        join links as link on link.target = person.seq join resources as home on home.seq = link.group_id
        where person.id = ${id} and (link.pending is not null or link.stuck_at is not null)
        limit ${PLACES_MAX}) as waiting)
    select * from requests where seq in (select (
      select seq from requests where resource_id = places.resource_id and status < 400
        and (places.at is null or at <= places.at)
        and written like case when places.kind like 'admin%' then '%admins%' else '%members%' end
      order by seq desc limit 1) from places)`;
}

/** The newest drifts of a user or group. */
export function listDriftsOf(db: Db, { id, limit }: PastQuery) {
  // The index of members leaves out drifts without a member, which are many.
  return select<Row<'drifts'>>(db)`
    select * from (select * from drifts where resource_id = ${id}
      union all select * from drifts where member_id = ${id} and member_id <> '') as past
    order by first_seen_at desc limit ${limit}`;
}

/** An act of an operator, or an outage of the service, as stored. */
export type ActRow = Row<'acts'>;

/** Act of an operator that is to be stored. */
export type NewAct = Omit<ActRow, 'id' | 'kind' | 'ended_at'>;

/**
 * Stores the acts of a request. One that is there already is completed, once; the record of a request that was no act
 * after all goes.
 */
export async function saveActs(tx: Db, entry: string, acts: readonly NewAct[]): Promise<void> {
  if (acts.length === 0) await deleteWhere(tx, 'acts', { entry });
  for (const act of acts) {
    await sql`insert into acts ${toValues([{ ...act, kind: 'operator' }])}
      on conflict (entry) do update set ${toAssignments(act)} where acts.status is null`.execute(
      tx,
    );
  }
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

/** Selection of acts of operators, and the page of it to read. */
export interface ActQuery extends NewestPart {
  /** Name or id of the credential. */
  readonly operator: string | undefined;
  /** Id that they were about, or that a drift or plan names that they were about. */
  readonly target: string | undefined;
  /** Statuses from the first to the last. */
  readonly status: readonly [number, number] | undefined;
}

/** Lists acts of operators, the newest first. */
export function listActs(db: Db, { operator, target, status, from, limit }: ActQuery) {
  const isMeant = allOf([
    sql`kind = 'operator' and id < ${from}`,
    operator && sql`(operator = ${operator} or credential = ${operator})`,
    target && sql`target in (select ${target} union ${driftsOf(target)} union ${plansOf(target)})`,
    status && sql`status between ${status[0]} and ${status[1]}`,
  ]);
  return select<ActRow & { readonly seq: number }>(db)`select acts.*, id as seq from acts
    where ${isMeant} order by id desc limit ${limit}`;
}

/**
 * Lists the newest acts that were done about a user or group, about a drift or plan that names it, and about everything
 * since `since` (epoch milliseconds), with the outages since then.
 */
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

function driftsOf(id: string) {
  return sql`select id from drifts where resource_id = ${id}
    union select id from drifts where member_id = ${id} and member_id <> ''`;
}

function plansOf(id: string) {
  return sql`select plan_id from plan_actions where resource_id = ${id}
    union select plan_id from plan_actions where member_id = ${id} and member_id <> ''`;
}
