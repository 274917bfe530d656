import type { Sql } from 'sql-template-tag';
import sql, { empty, join, raw } from 'sql-template-tag';
import type { ChangeKind, HarmKind, SentChange } from '../domain/change.ts';
import { listHarms, listKindsOf } from '../domain/change.ts';
import { DAY_MS } from '../domain/clock.ts';
import type { LinkList } from '../domain/link.ts';
import type { ResourceKey } from '../domain/values.ts';
import { foldCase } from '../domain/values.ts';
import { allOf, execute, readInChunks, readNumber, readOne, select } from './engine/dialect.ts';
import { listCalledNames } from './resources/find.ts';
import type { ResourceRow } from './resources/rows.ts';
import { HAS_REMARK } from './schema.ts';
import type { Db } from './store.ts';
import type { Insertable, NewestPart, Row } from './tables.ts';
import { deleteWhere, insertAll, listWhere, putAll, updateWhere } from './tables.ts';

/** A request as stored. */
export type RequestRow = Row<'requests'>;

/** A request of a provider, or one operation of a bulk request, without anything that is personal. */
export type KeptRequest = Omit<Insertable<'requests'>, 'seq'>;

/** Stores requests. One that is there already is completed, once. */
export const saveRequests = (tx: Db, rows: readonly KeptRequest[]) =>
  putAll(tx, 'requests', ['entry'], rows, sql`requests.status = 0`);

/** Finds the last requests for these changes, in their order; undefined: none is kept, or a rule asked. */
export const listAskers = (db: Db, changes: readonly Asked[]) =>
  readInChunks(changes, (some) => Promise.all(some.map((change) => findAsker(db, change))));

type Asked = Pick<Row<'own_calls'>, 'kind' | 'resource_id' | 'at'>;

async function findAsker(db: Db, { kind, resource_id, at }: Asked) {
  const [request] = await select<RequestRow>(db)`select * from requests
    where resource_id = ${resource_id} and at <= ${at} and status < 400
      and (method = 'DELETE' or written like ${toWritten(kind)})
    order by seq desc limit 1`;
  return request;
}

function toWritten(kind: ChangeKind): string {
  if (kind.startsWith('member.')) return '%members%';
  if (kind.startsWith('admin.')) return '%admins%';
  return kind.startsWith('user.') ? '%active%' : '%displayName%';
}

/** Subject of a timeline: its SCIM id, and the id of a user's account, by which groups name it. */
export type PastQuery = Readonly<{ id: string; accountId: string | undefined; limit: number }>;

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
  await execute(tx)`insert into acts (kind, act, operator, target, at, everyone)
    select 'outage', ${act}, '', '', cast(${at} as bigint), 1
    where not exists (select 1 from acts
      where target = '' and kind = 'outage' and act = ${act} and ended_at is null)`;
}

/** Stores the end of an outage; `at` is epoch milliseconds. */
export async function endOutage(tx: Db, act: string, ended_at: number): Promise<void> {
  await updateWhere(tx, 'acts', { target: '', kind: 'outage', act, ended_at: null }, { ended_at });
}

/** Selection of acts: those of a credential, by its name or id, about an id, its drifts and plans, with statuses between two. */
interface ActQuery extends NewestPart {
  readonly operator: string | undefined;
  readonly target: string | undefined;
  readonly status: readonly [from: number, to: number] | undefined;
}

/** Lists acts of operators, the newest first. */
export function listActs(db: Db, { operator, target, status, from, limit }: ActQuery) {
  const isMeant = allOf([
    sql`kind = 'operator' and id < ${from}`,
    operator && sql`(operator = ${operator} or credential = ${operator})`,
    target && sql`target in (${targetsOf(target)})`,
    status && sql`status between ${status[0]} and ${status[1]}`,
  ]);
  return select<ActRow & { readonly seq: number }>(db)`select acts.*, id as seq from acts
    where ${isMeant} order by id desc limit ${limit}`;
}

/** Lists the newest acts about a user or group, its drifts and plans, and about everything, with outages, since `since`. */
export function listActsOf(db: Db, { id, limit }: PastQuery, since: number) {
  // Each part has an index of its own.
  return select<ActRow>(db)`
    select * from (
      select * from acts where target in (${targetsOf(id)})
      union select * from acts where everyone = 1 and at >= ${since}) as shown
    where status is null or status < 400
    order by at desc, id desc limit ${limit}`;
}

/** SQL of an id, and of the drifts and plans about the user or group that has it. */
const targetsOf = (id: string) => sql`select ${id}
  union select id from drifts where resource_id = ${id}
  union select id from drifts where member_id = ${id} and member_id <> ''
  union select plan_id from plan_actions where resource_id = ${id}
  union select plan_id from plan_actions where member_id = ${id} and member_id <> ''`;

/** Number of requests with such a repair within a day; times in epoch milliseconds. */
export type Remark = Readonly<Record<'requests' | 'since' | 'last', number>>;

/** Finds requests of the last day that were taken without a refused part, or that passed an account on. */
export async function findRemark(db: Db, kind: 'part-left-out' | 'name-recycled', now: number) {
  const found = await readOne<Remark>(db)`
    select count(*) as requests, min(at) as since, max(at) as last from requests
    where at > ${now - DAY_MS} and ${raw(HAS_REMARK)} and written like ${`%"${kind}"%`}`;
  return found.requests > 0 ? found : undefined;
}

/** A change as the ledger holds it. `is_repair` 1: a plan asked for it, or it follows from a deletion. */
export type WrittenChange = Pick<Row<'own_calls'>, 'id' | 'kind' | 'is_repair'>;

/** Writes a mutating call that is about to leave into the ledger, one row a change. `at` is epoch milliseconds. */
export function insertOwnCall(
  tx: Db,
  call: Pick<Row<'own_calls'>, 'at' | 'operation'> & { key: ResourceKey },
  changes: readonly SentChange[],
): Promise<WrittenChange[]> {
  const { key, ...common } = call;
  const rows = changes.map((change) => ({
    ...common,
    kind: change.kind,
    resource_type: key.type,
    resource_id: key.id,
    upstream_id: change.upstreamId ?? null,
    member_id: change.memberId ?? null,
    is_repair: toIsRepair(key.id, change),
  }));
  return insertAll(tx, 'own_calls', rows);
}

/** SQL for 1 where a plan takes this away, or where it is the place of a deleted user, who counts alone; else 0. */
function toIsRepair(resourceId: string, { kind, memberId = '' }: SentChange): Sql {
  const [harm] = listHarms([{ kind }]);
  if (harm === undefined) return sql`0`;
  // A call names a user by the account; -1: no account has such an id.
  const account = /^\d{1,15}$/.test(memberId) ? Number(memberId) : -1;
  const isUser = sql`type = 'user' and upstream_id = ${account} and deleted_at is`;
  const follows = sql`(exists (select 1 from resources where ${isUser} not null)
    and not exists (select 1 from resources where ${isUser} null))`;
  return sql`case when ${follows} or exists (
    select 1 from plan_actions as action left join resources as member on member.id = action.member_id
    where action.resource_id = ${resourceId} and action.status = 'released' and action.harm = ${harm}
    and (action.member_id = ${memberId} or member.upstream_id = ${account})
  ) then 1 else 0 end`;
}

/** Tells whether a call may have made a released change of a plan: else the service held it before. */
export async function mayHaveMade(
  db: Db,
  { kind, resource_id, member_id, released_at }: Row<'plan_actions'>,
): Promise<boolean> {
  const account = sql`(select cast(upstream_id as text) from resources where id = ${member_id})`;
  const ofMember = member_id === '' ? empty : sql`and member_id = ${account}`;
  const rows = await select(db)`select 1 from own_calls where resource_id = ${resource_id}
    and kind = ${kind} and at >= ${released_at} ${ofMember}
    and (outcome is null or outcome in ('done', 'unknown')) limit 1`;
  return rows.length > 0;
}

/** Users and groups among these that the bridge created since then (epoch milliseconds), the newest first. */
export function listCreations(
  db: Db,
  { ids: resource_id, from }: { readonly ids: readonly string[]; readonly from: number },
) {
  const kind = ['user.create', 'group.create'] as const;
  const created = { resource_id, kind, outcome: 'done', at: { '>=': from } } as const;
  return listWhere(db, 'own_calls', created, { order: 'at desc' });
}

/** The newest changes that the bridge made of a user or group, those of a user's place in groups among them. */
export async function listCallsOf(db: Db, { id, accountId, limit }: PastQuery) {
  const newest = { order: 'at desc', limit } as const;
  const own = await listWhere(db, 'own_calls', { resource_id: id }, newest);
  if (accountId === undefined) return own;
  return [...own, ...(await listWhere(db, 'own_calls', { member_id: accountId }, newest))];
}

/** A record that a user came into a list of a group (`came` 1) or went; a `link` says what is seen now. `state`: of a drift its status; `rule`: a rule wants it. `by`: the author in the audit log, or the plan. */
export type LinkRecord = Readonly<{ role: LinkList; user: string; at: number; state: string }> &
  Readonly<{ source: 'link' | 'call' | 'drift' | 'audit'; came: number | null }> &
  Readonly<Record<'name' | 'by', string | null> & { released: number | null }>;

/** Lists what is kept about who came into the lists of a group or went, by names, then the oldest first. */
export const listLinkRecords = (db: Db, group: ResourceRow) =>
  select<LinkRecord>(db)`select record.*, person.name,
      case when source = 'link' then seen when kind like '%add%' then 1 else 0 end as came,
      case when kind like 'admin.%' or kind like '%_admin' then 'admin' else 'member' end as role
    from (select call.kind, call.at, coalesce(person.id, 'account ' || call.member_id) as "user", 'call' as source,
        '' as state, plan_id as "by", released_at as released, 0 as seen
      from own_calls as call left join resources as person on person.seq = (select max(seq) from resources
          where type = 'user' and upstream_id = cast(call.member_id as bigint) and created_at <= call.at)
        left join plan_actions as action on action.id = (select max(id) from plan_actions where kind = call.kind
          and resource_id = call.resource_id and member_id = person.id and released_at <= call.at)
      where call.resource_id = ${group.id} and (call.outcome is null or call.outcome in ('done', 'unknown'))
        and call.kind in ('member.add', 'member.remove', 'admin.add', 'admin.remove')
      union all select list || '.', 0, id, 'link', case by_rule when 1 then 'rule' else '' end, null, null, links.observed
        from links join resources on resources.seq = target where group_id = ${group.seq}
      union all select kind, first_seen_at, member_id, 'drift', status, null, null, 0 from drifts
        where resource_id = ${group.id} and (kind like 'member.%' or kind like 'admin.%')
      union all select action, home.at, person.subject, 'audit', '', coalesce(author_username, 'account ' || author_id), null, 0
        from audit_event_subjects as home join audit_events as event on event.id = home.event_id
          join audit_event_subjects as person on person.event_id = event.id and person.resource_type = 'user'
        where home.subject in (${join([group.id, ...listNameKeys(group)])}) and event.origin <> 'ours'
          and action in ('add_user', 'admin_add_user', 'delete_user', 'admin_delete_user', 'add_admin', 'delete_admin')
    ) as record left join resources as person on person.id = record."user" order by person.name, role, record.at`;

/** Counts whom providers took something from since `since`, each once, up to `max`: calls that were refused or made for plans do not count. */
export function countProviderHarm(
  db: Db,
  { harm, since, max }: { readonly harm: HarmKind; readonly since: number; readonly max: number },
): Promise<number> {
  return readNumber(
    db,
    sql`select count(*) from (
      select distinct coalesce(case when resource_type = 'user' then upstream_id end, resource_id),
        member_id from own_calls
      where kind in (${join(listKindsOf(harm))}) and at > ${since} and is_repair = 0
      and (outcome is null or outcome in ('done', 'unknown')) limit ${max}) as subjects`,
  );
}

/** Key of a text of an event, and of a user or group asked for by it. Capitals keep numbers apart from folded texts. */
export function toNameKey(type: 'user' | 'group', text: string): string {
  return /^\d+$/.test(text) ? `${type.toUpperCase()} ${text}` : foldCase(text);
}

/** The keys under which events may name a user or group that were read before it was known. */
export const listNameKeys = (row: ResourceRow) =>
  listCalledNames(row).map((name) => toNameKey(row.type, name));

type Subject = Row<'audit_event_subjects'>;

/** An event, with its time as near to our own clock as is known, and the users and groups that were known when it was read. */
export type EventView = Row<'audit_events'> &
  Pick<Subject, 'at'> &
  Readonly<Record<'username' | 'address', string | null>> & { readonly named: readonly Subject[] };

/** Lists the events of each subject (a SCIM id, or a key of `toNameKey`) that has any: so many of each, the newest first. */
export async function listEventsAbout(
  db: Db,
  subjects: readonly string[],
  { from, until, limit }: Readonly<Record<'from' | 'until' | 'limit', number>>,
): Promise<Map<string, EventView[]>> {
  const read = (some: readonly string[]) =>
    select<Omit<EventView, 'named'> & Pick<Subject, 'subject'>>(db)`select * from (
      select about.subject, about.at, event.*, author_username as username, author_address as address,
        row_number() over (partition by about.subject order by about.at desc) as place
      from audit_event_subjects as about join audit_events as event on event.id = about.event_id
      where about.subject in (${join(some)}) and about.at between ${from} and ${until}
    ) as found where place <= ${limit} order by at desc`;
  const found = await readInChunks(subjects, read);
  const event_id = [...new Set(found.map(({ id }) => id))];
  const known = { event_id, resource_type: { '<>': null } } as const;
  const rows = await listWhere(db, 'audit_event_subjects', known);
  const named = Map.groupBy(rows, (subject) => subject.event_id);
  const events = found.map((event) => ({ ...event, named: named.get(event.id) ?? [] }));
  return Map.groupBy(events, ({ subject }) => subject);
}
