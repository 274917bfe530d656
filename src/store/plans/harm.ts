import { sql } from 'kysely';
import type { ChangeKind } from '../../domain/change.ts';
import type { HarmKind } from '../../domain/harm.ts';
import type { PlanAction } from '../../domain/plan.ts';
import type { Db } from '../store.ts';

/** Change by an automatic plan, and its subject. */
export interface AutomaticChange {
  readonly kind: ChangeKind;
  readonly harm: HarmKind | null;
  readonly resourceId: string;
  /** The SCIM id of the user in a list of the group; empty: it is about the resource itself. */
  readonly memberId: string;
}

/** Lists what automatic plans changed since then (epoch milliseconds), or are about to change. */
export async function listAutomaticChanges(db: Db, since: number): Promise<AutomaticChange[]> {
  const columns = sql`action.kind, action.harm, action.resource_id as "resourceId", action.member_id as "memberId"`;
  const { rows } = await sql<AutomaticChange>`
    select ${columns} from plan_actions as action join plans as plan on plan.id = action.plan_id
    where action.released_at > ${since} and plan.automatic = 1
    union
    select ${columns} from plans as plan
    join plan_actions as action on action.plan_id = plan.id and action.status = 'planned'
    where plan.status = 'approved' and plan.automatic = 1`.execute(db);
  return rows;
}

/** Counts automatic repairs of the same user or group, or the same user in a group, since then. */
export async function countRepairs(
  db: Db,
  { resourceId, memberId }: Pick<PlanAction, 'resourceId' | 'memberId'>,
  since: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct action.plan_id) as count from plan_actions as action
    join plans as plan on plan.id = action.plan_id
    where action.resource_id = ${resourceId} and action.member_id = ${memberId}
    and action.released_at > ${since} and action.status <> 'dropped' and plan.automatic = 1`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Counts the resources that each kind of harm could concern. */
export async function countPopulation(db: Db, harm: HarmKind): Promise<number> {
  const managed = sql`origin is not null and deleted_at is null`;
  const count = {
    deactivate: sql`select count(*) as count from resources where type = 'user' and active = 1 and ${managed}`,
    removeMember: sql`select count(*) as count from links where observed = 1 and list = 'member'
      and group_id in (select seq from resources where ${managed})`,
    demoteAdmin: sql`select count(*) as count from links where observed = 1 and list = 'admin'
      and group_id in (select seq from resources where ${managed})`,
    cutAccess: sql`select count(*) as count from resources where ${managed}`,
    deleteGroup: sql`select count(*) as count from resources where type = 'group' and ${managed}`,
  }[harm];
  const { rows } = await sql<{ count: number }>`${count}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
