import type { GroupId, UserId } from '../domain/ids.ts';
import { deleteLinks, type LinkTable, listLinks } from './links.ts';
import type { Db } from './store.ts';

/** Who is to be in a list of a group, or not. */
export interface LinkDesire {
  readonly groupId: GroupId;
  readonly userId: UserId;
  readonly isWanted: boolean;
}

/** Makes it what is desired of one person in a list; nothing waits for it. One whom nobody sees there either is forgotten. */
export async function desireLink(
  tx: Db,
  table: LinkTable,
  { groupId, userId, isWanted }: LinkDesire,
): Promise<void> {
  const [link] = await listLinks(tx, table, groupId, [userId]);
  if (link === undefined) {
    const row = { group_id: groupId, user_id: userId, desired: isWanted ? 1 : 0, observed: null };
    await tx
      .insertInto(table)
      .values({ ...row, pending: null, retry_at: null, stuck_at: null, problem: null })
      .execute();
    return;
  }
  if (!isWanted && link.observed !== 1) return deleteLinks(tx, table, groupId, [userId]);
  await tx
    .updateTable(table)
    .set({ desired: isWanted ? 1 : 0 })
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .execute();
}
