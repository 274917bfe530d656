import { type RawBuilder, sql } from 'kysely';
import { type HarmKind, listHarms, listKindsOf, type SentChange } from '../../domain/change.ts';
import { isEntityField } from '../../domain/entity.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { readNumber, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { insertAll, listWhere, type Row } from '../tables.ts';
import type { PastQuery } from './requests.ts';

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
function toIsRepair(resourceId: string, { kind, memberId }: SentChange): RawBuilder<unknown> {
  const [harm] = listHarms([{ kind }]);
  if (harm === undefined) return sql`0`;
  const place = toAccount(memberId);
  const isUser = sql`type = 'user' and upstream_id = ${place} and deleted_at is`;
  const follows = sql`(exists (select 1 from resources where ${isUser} not null)
    and not exists (select 1 from resources where ${isUser} null))`;
  return sql`case when ${follows} or exists (
    select 1 from plan_actions as action left join resources as member on member.id = action.member_id
    where action.resource_id = ${resourceId} and action.status = 'released' and action.harm = ${harm}
    and ${toMember(memberId)}
  ) then 1 else 0 end`;
}

/** Condition of the member of an action: none, a user, or an entity, which plans and calls name alike. */
function toMember(memberId: string | undefined): RawBuilder<unknown> {
  if (memberId === undefined) return sql`action.member_id = ''`;
  return isEntityField(memberId)
    ? sql`action.member_id = ${memberId}`
    : sql`member.upstream_id = ${toAccount(memberId)}`;
}

/** Account of a member, by its text in a call; -1: no account has such an id. */
const toAccount = (memberId = '') => (/^\d{1,15}$/.test(memberId) ? Number(memberId) : -1);

/** Tells whether a call may have made a released change of a plan: else the service held it before. */
export async function mayHaveMade(
  db: Db,
  { kind, resource_id, member_id, released_at }: Row<'plan_actions'>,
): Promise<boolean> {
  const account = sql`(select cast(upstream_id as text) from resources where id = ${member_id})`;
  const ofMember = member_id === '' ? sql`` : sql`and member_id = ${account}`;
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

/** Finds when the newest call for this user or group was about to leave (epoch milliseconds); undefined: none was. */
export const findNewestCallAt = async (db: Db, resource_id: string) =>
  (await listWhere(db, 'own_calls', { resource_id }, { order: 'at desc', limit: 1 }))[0]?.at;

/**
 * Counts whom providers took something from since `since` (epoch milliseconds), each once, up to `max`. Refused calls
 * do not count, those of unknown outcome do, and those of repair plans do not.
 */
export async function countProviderHarm(
  db: Db,
  { harm, since, max }: { readonly harm: HarmKind; readonly since: number; readonly max: number },
): Promise<number> {
  const kinds = listKindsOf(harm);
  if (kinds.length === 0) return 0;
  return readNumber(
    db,
    sql`select count(*) from (
      select distinct coalesce(case when resource_type = 'user' then upstream_id end, resource_id),
        member_id from own_calls
      where kind in (${sql.join(kinds)}) and at > ${since} and is_repair = 0
      and (outcome is null or outcome in ('done', 'unknown')) limit ${max}) as subjects`,
  );
}
