import { sql } from 'kysely';
import type { HeldKind } from '../domain/held-action.ts';
import type { Db } from './database.ts';

/** A held action with the names that a person knows its people and groups by. */
export interface HeldView {
  readonly kind: HeldKind;
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string | null;
  readonly memberId: string | null;
  readonly memberName: string | null;
}

/** The first actions of the plan, for an operator. */
export async function listHeldViews(db: Db, limit: number): Promise<HeldView[]> {
  const { rows } = await sql<HeldView>`
    select held.kind, held.resource_type as type, held.resource_id as id,
      coalesce(person.user_name, team.display_name) as name,
      held.member_id as "memberId", member.user_name as "memberName"
    from held_actions as held
    left join users as person on held.resource_type = 'user' and person.id = held.resource_id
    left join groups as team on held.resource_type = 'group' and team.id = held.resource_id
    left join users as member on member.id = held.member_id
    order by held.id limit ${limit}`.execute(db);
  return rows;
}
