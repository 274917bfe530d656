import { sql } from 'kysely';
import type { GroupId, UserId } from '../domain/ids.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';
import type { Db } from './store.ts';

/** A person whom the service does not hold in a list as somebody asked for. */
export interface DifferingLink {
  readonly list: LinkTable;
  readonly userId: UserId;
  readonly wanted: boolean;
}

/**
 * Who is wanted in a list of the group and not there, or there and not wanted, and nothing waits for it.
 * Memberships of inactive people are kept and no difference; nobody leaves whom the service never showed.
 */
export async function listDifferingLinks(db: Db, groupId: GroupId): Promise<DifferingLink[]> {
  const links: DifferingLink[] = [];
  for (const list of LINK_TABLES) {
    const { rows } = await sql<{ user_id: UserId; desired: number }>`
      select link.user_id, link.desired
      from ${sql.table(list)} as link join users as person on person.id = link.user_id
      where link.group_id = ${groupId} and link.pending is null and (
        (link.desired = 1 and coalesce(link.observed, 0) = 0 and person.active = 1)
        or (link.desired = 0 and link.observed = 1))
      order by link.desired, link.seq`.execute(db);
    for (const row of rows) links.push({ list, userId: row.user_id, wanted: row.desired === 1 });
  }
  return links;
}
