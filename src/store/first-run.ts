import type { GroupId, UserId } from '../domain/ids.ts';
import { chunks } from './chunks.ts';
import type { Db } from './store.ts';

/** An account or group of the service that nobody manages, under a name by which it is recognised. */
export interface ExistingNamed<Id extends string> {
  readonly id: Id;
  readonly name: string;
  readonly upstreamId: string;
}

/** Accounts that nobody manages, by each observed userName and address among these. */
export async function listExistingUsers(
  db: Db,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed<UserId>>> {
  const found = new Map<string, ExistingNamed<UserId>>();
  for (const names of chunks(namesFolded)) {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'user_name', 'upstream_id'])
      .select(['observed_user_name_folded', 'observed_email_folded'])
      .where('origin', 'is', null)
      .where('deleted_at', 'is', null)
      .where((where) =>
        where.or([
          where('observed_user_name_folded', 'in', names),
          where('observed_email_folded', 'in', names),
        ]),
      )
      .execute();
    for (const { id, user_name, upstream_id, ...observed } of rows) {
      const existing = { id, name: user_name, upstreamId: String(upstream_id) };
      for (const name of Object.values(observed)) if (name !== null) found.set(name, existing);
    }
  }
  return found;
}

/** Groups that nobody manages, by each name among these. */
export async function listExistingGroups(
  db: Db,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed<GroupId>>> {
  const found = new Map<string, ExistingNamed<GroupId>>();
  for (const names of chunks(namesFolded)) {
    const rows = await db
      .selectFrom('groups')
      .select(['id', 'display_name', 'display_name_folded'])
      .select(['upstream_uid', 'upstream_rest_id', 'upstream_scim_id'])
      .where('origin', 'is', null)
      .where('deleted_at', 'is', null)
      .where('display_name_folded', 'in', names)
      .execute();
    for (const { id, display_name, display_name_folded, ...ids } of rows) {
      const upstreamId = String(ids.upstream_uid ?? ids.upstream_rest_id ?? ids.upstream_scim_id);
      found.set(display_name_folded, { id, name: display_name, upstreamId });
    }
  }
  return found;
}

/** Which of these names an account of the service was seen with, whoever has it by now. */
export async function listUserNamesSeen(
  db: Db,
  namesFolded: readonly string[],
): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const names of chunks(namesFolded)) {
    for (const column of ['observed_user_name_folded', 'observed_email_folded'] as const) {
      const rows = await db
        .selectFrom('users')
        .select(`${column} as name`)
        .where('upstream_id', 'is not', null)
        .where(column, 'in', names)
        .execute();
      for (const { name } of rows) if (name !== null) seen.add(name);
    }
  }
  return seen;
}
