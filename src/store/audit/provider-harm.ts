import { type RawBuilder, sql } from 'kysely';
import { listHarms, listKindsOf, type SentChange } from '../../domain/change.ts';
import { isEntityField } from '../../domain/entity.ts';
import { assertNever } from '../../domain/errors.ts';
import type { HarmKind } from '../../domain/harm.ts';
import type { Db } from '../store.ts';

/** Selection of the harm to count. */
interface HarmQuery {
  readonly harm: HarmKind;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Counting ends here. */
  readonly max: number;
}

/**
 * Counts the users, places in a group, or groups that providers took something away from: each counts once, however
 * many calls that took. Calls that the service refused took nothing away; one whose outcome is unknown may have.
 * Changes by repair plans are left out.
 */
export async function countProviderHarm(db: Db, { harm, since, max }: HarmQuery): Promise<number> {
  const kinds = listKindsOf(harm);
  if (kinds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select distinct ${toSubject(harm)} from own_calls
      where kind in (${sql.join(kinds)}) and at > ${since} and is_repair = 0
      and (outcome is null or outcome in ('done', 'unknown')) limit ${max}) as subjects`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Unit that is counted: an account, a member or entity of one group, or a group. */
function toSubject(harm: HarmKind): RawBuilder<unknown> {
  switch (harm) {
    case 'deactivate':
      return sql`coalesce(upstream_id, resource_id) as subject, '' as place`;
    case 'removeMember':
    case 'demoteAdmin':
    case 'cutAccess':
      return sql`member_id as subject, resource_id as place`;
    case 'deleteGroup':
      return sql`resource_id as subject, '' as place`;
    default:
      return assertNever(harm);
  }
}

/**
 * SQL for 1 where a plan takes this away from this user or group now, or where it is the place of a deleted user, whose
 * deletion counts by itself; else 0.
 */
export function toIsRepair(resourceId: string, { kind, memberId }: SentChange): RawBuilder<number> {
  const [harm] = listHarms([{ kind }]);
  if (harm === undefined) return sql<number>`0`;
  const follows =
    memberId === undefined
      ? sql`false`
      : sql`(exists (select 1 from users where upstream_id = ${toAccount(memberId)} and deleted_at is not null)
        and not exists (select 1 from users where upstream_id = ${toAccount(memberId)} and deleted_at is null))`;
  return sql<number>`case when ${follows} or exists (
    select 1 from plan_actions as action left join users as member on member.id = action.member_id
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
function toAccount(memberId: string): number {
  return /^\d{1,15}$/.test(memberId) ? Number(memberId) : -1;
}
