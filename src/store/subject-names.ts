import { type RawBuilder, sql } from 'kysely';

/** Names beside rows that are about a person or group, or about a person in a group. */
export interface SubjectNames {
  /** `name` and `memberName`; null where the store has them no more. */
  readonly columns: RawBuilder<unknown>;
  readonly joins: RawBuilder<unknown>;
}

/** What a query of such rows selects and joins for the names that a person knows them by; `row` is its alias. */
export function joinSubjectNames(row: string): SubjectNames {
  const type = sql.ref(`${row}.resource_type`);
  const id = sql.ref(`${row}.resource_id`);
  return {
    columns: sql`coalesce(person.user_name, team.display_name) as name, member.user_name as "memberName"`,
    joins: sql`left join users as person on ${type} = 'user' and person.id = ${id}
      left join groups as team on ${type} = 'group' and team.id = ${id}
      left join users as member on member.id = ${sql.ref(`${row}.member_id`)}`,
  };
}
