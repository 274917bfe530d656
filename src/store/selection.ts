import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { assertNever } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { MomentOp, Selector } from '../domain/selector.ts';
import type { Schema } from './schema.ts';

type Where<T extends 'users' | 'groups'> = ExpressionBuilder<Schema, T>;

const MOMENT_SQL: Readonly<Record<MomentOp, '=' | '>' | '>=' | '<' | '<='>> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

/** What an index answers of a search for users. */
export function whereUsers(where: Where<'users'>, selector: Selector): Expression<SqlBool> {
  switch (selector.kind) {
    case 'and':
      return where.and(selector.parts.map((part) => whereUsers(where, part)));
    case 'or':
      return where.or(selector.parts.map((part) => whereUsers(where, part)));
    case 'id':
      return where('users.id', '=', selector.value as UserId);
    case 'externalId':
      return where('users.external_id', '=', selector.value);
    case 'userName':
      return where('users.user_name_folded', '=', selector.value);
    case 'displayName':
      return where('users.display_name_folded', '=', selector.value);
    case 'email':
      return where(
        'users.id',
        'in',
        where
          .selectFrom('user_emails')
          .select('user_id')
          .where('email_folded', '=', selector.value),
      );
    case 'active':
      return where('users.active', '=', selector.value ? 1 : 0);
    case 'lastModified':
      return where('users.modified_at', MOMENT_SQL[selector.op], selector.value);
    case 'member':
      return sql<SqlBool>`users.id in (select m.user_id from memberships as m where m.group_id = ${selector.value}
        and coalesce(m.desired, m.observed) = 1)`;
    default:
      return assertNever(selector);
  }
}

/** What an index answers of a search for groups. */
export function whereGroups(where: Where<'groups'>, selector: Selector): Expression<SqlBool> {
  switch (selector.kind) {
    case 'and':
      return where.and(selector.parts.map((part) => whereGroups(where, part)));
    case 'or':
      return where.or(selector.parts.map((part) => whereGroups(where, part)));
    case 'id':
      return sql<SqlBool>`groups.id = ${selector.value}`;
    case 'externalId':
      return where('groups.external_id', '=', selector.value);
    case 'displayName':
      return where('groups.display_name_folded', '=', selector.value);
    case 'lastModified':
      return where('groups.modified_at', MOMENT_SQL[selector.op], selector.value);
    case 'member':
      return sql<SqlBool>`groups.id in (select m.group_id from memberships as m where m.user_id = ${selector.value}
        and coalesce(m.desired, m.observed) = 1)`;
    case 'userName':
    case 'email':
    case 'active':
      // Groups have no such attribute, and an attribute that is not there matches nothing.
      return sql<SqlBool>`1 = 0`;
    default:
      return assertNever(selector);
  }
}
