import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { assertNever } from '../domain/errors.ts';
import type { MomentOp, Selector } from '../domain/selector.ts';

/** The two tables that searches look at. */
export type SearchTable = 'users' | 'groups';

const MOMENT_SQL: Readonly<Record<MomentOp, string>> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

const NOTHING = sql<SqlBool>`1 = 0`;
const ALL = sql<SqlBool>`1 = 1`;

/**
 * What an index answers of a search, as SQL text: a look-up by name is what providers ask most, and
 * kysely's builder costs more than the query. An attribute that a table has not matches nothing.
 */
export function toCondition(table: SearchTable, selector: Selector): RawBuilder<SqlBool> {
  switch (selector.kind) {
    case 'and':
      return join(table, selector.parts, { by: sql` and `, empty: ALL });
    case 'or':
      return join(table, selector.parts, { by: sql` or `, empty: NOTHING });
    case 'id':
      return sql<SqlBool>`id = ${selector.value}`;
    case 'externalId':
      return sql<SqlBool>`external_id = ${selector.value}`;
    case 'displayName':
      return sql<SqlBool>`display_name_folded = ${selector.value}`;
    case 'lastModified':
      return sql<SqlBool>`modified_at ${sql.raw(MOMENT_SQL[selector.op])} ${selector.value}`;
    case 'member':
      return table === 'users' ? isIn(selector.value) : has(selector.value);
    case 'userName':
      return ofPeople(table, sql<SqlBool>`user_name_folded = ${selector.value}`);
    case 'email':
      return ofPeople(table, hasAddress(selector.value));
    case 'active':
      return ofPeople(table, sql<SqlBool>`active = ${selector.value ? 1 : 0}`);
    default:
      return assertNever(selector);
  }
}

function ofPeople(table: SearchTable, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return table === 'users' ? condition : NOTHING;
}

function hasAddress(emailFolded: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select user_id from user_emails where email_folded = ${emailFolded})`;
}

/** People who are in this group, unless it is deleted: then nobody is shown in it. */
function isIn(groupId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.user_id from memberships as m where m.group_id = ${groupId}
    and coalesce(m.desired, m.observed) = 1 and ${isLive('groups', groupId)})`;
}

/** Groups that have this person, unless they are deleted. */
function has(userId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (select m.group_id from memberships as m where m.user_id = ${userId}
    and coalesce(m.desired, m.observed) = 1 and ${isLive('users', userId)})`;
}

function isLive(table: SearchTable, id: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} as linked
    where linked.id = ${id} and linked.deleted_at is null)`;
}

function join(
  table: SearchTable,
  parts: readonly Selector[],
  { by, empty }: { by: RawBuilder<unknown>; empty: RawBuilder<SqlBool> },
): RawBuilder<SqlBool> {
  if (parts.length === 0) return empty;
  const conditions = parts.map((part) => toCondition(table, part));
  return sql<SqlBool>`(${sql.join(conditions, by)})`;
}
