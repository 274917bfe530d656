import { sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { LinkRow } from './links.ts';

/** User whom a request names as a member. */
export interface NamedUser {
  readonly id: UserId;
  readonly isLive: boolean;
  /** The account; null: none is known. */
  readonly account: number | null;
  /** True for an active user, whom every service takes. */
  readonly isActive: boolean;
  /** The membership; undefined: there is none. */
  readonly link: LinkRow | undefined;
}

/** Users whom a request names as members, with what it takes to change the members of their group. */
export interface NamedUsers {
  /** By id; unknown ids are left out. */
  readonly users: ReadonlyMap<UserId, NamedUser>;
  /** True when some change of a list of the group waits. */
  readonly isWaiting: boolean;
  /** True when the group has an admin. */
  readonly hasAdmins: boolean;
}

interface NamedRow extends Omit<LinkRow, 'user_id'> {
  readonly id: UserId;
  readonly deleted_at: number | null;
  readonly upstream_id: number | null;
  readonly active: number;
  readonly linked: UserId | null;
  readonly waiting: number;
  readonly administered: number;
}

/** Reads the users of these ids, their memberships in the group, and the group's lists in sum, with one statement. */
export async function readNamedUsers(
  tx: Db,
  groupId: GroupId,
  ids: readonly UserId[],
): Promise<NamedUsers> {
  const users = new Map<UserId, NamedUser>();
  let isWaiting = false;
  let hasAdmins = false;
  const flag = (table: string, where: string) => sql`case when exists (
    select 1 from ${sql.table(table)} where group_id = ${groupId} and ${sql.raw(where)}) then 1 else 0 end`;
  for (const chunk of chunks(ids)) {
    const { rows } = await sql<NamedRow>`
      select named.id, named.deleted_at, named.upstream_id, named.active, link.user_id as linked,
        link.desired, link.observed, link.pending, link.put_in, link.retry_at, link.problem,
        ${flag('memberships', 'pending is not null')} + ${flag('group_admins', 'pending is not null')} as waiting,
        ${flag('group_admins', 'coalesce(desired, observed) = 1')} as administered
      from users as named left join memberships as link
        on link.user_id = named.id and link.group_id = ${groupId}
      where named.id in (${sql.join(chunk)})`.execute(tx);
    for (const row of rows) {
      users.set(row.id, toNamedUser(row));
      isWaiting ||= row.waiting > 0;
      hasAdmins ||= row.administered > 0;
    }
  }
  return { users, isWaiting, hasAdmins };
}

function toNamedUser({
  id,
  deleted_at,
  upstream_id,
  active,
  linked,
  waiting: _,
  administered: __,
  ...link
}: NamedRow): NamedUser {
  return {
    id,
    isLive: deleted_at === null,
    account: upstream_id,
    isActive: active === 1,
    link: linked === null ? undefined : { user_id: id, ...link },
  };
}
