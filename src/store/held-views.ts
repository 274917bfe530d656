import { sql } from 'kysely';
import type { HeldKind } from '../domain/plan.ts';
import type { Db } from './store.ts';
import { joinSubjectNames } from './subject-names.ts';

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
  const names = joinSubjectNames('held');
  const { rows } = await sql<HeldView>`
    select held.kind, held.resource_type as type, held.resource_id as id,
      held.member_id as "memberId", ${names.columns}
    from held_actions as held ${names.joins}
    order by held.id limit ${limit}`.execute(db);
  return rows;
}
