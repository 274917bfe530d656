import type { GroupField, GroupState } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Pending } from '../../domain/pending.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import type { GroupRow } from '../../store/groups.ts';
import { type LinkTable, listLinks } from '../../store/links.ts';
import type { GroupPart } from './outcome.ts';

/**
 * The refused parts that still are what was planned. What a later write has overtaken was not refused:
 * the service was never asked for that.
 */
export async function listStillPlanned(
  tx: Db,
  row: GroupRow,
  { planned, parts }: { planned: GroupState; parts: readonly GroupPart[] },
): Promise<GroupPart[]> {
  const pending = parseStored<Pending<GroupField>>(row.pending);
  const waiting = {
    member: await readWaitingVersions(tx, row, toLinks('memberships', parts)),
    admin: await readWaitingVersions(tx, row, toLinks('group_admins', parts)),
  };
  return parts.filter((part) =>
    part.kind === 'field'
      ? pending[part.field] === planned.pending[part.field]
      : waiting[part.kind].get(part.change.userId) === part.change.version,
  );
}

interface Links {
  readonly table: LinkTable;
  readonly userIds: readonly UserId[];
}

function toLinks(table: LinkTable, parts: readonly GroupPart[]): Links {
  const kind = table === 'memberships' ? 'member' : 'admin';
  return { table, userIds: parts.flatMap((p) => (p.kind === kind ? [p.change.userId] : [])) };
}

async function readWaitingVersions(
  tx: Db,
  { id }: GroupRow,
  { table, userIds }: Links,
): Promise<Map<UserId, number | null>> {
  const links = await listLinks(tx, table, id, userIds);
  return new Map(links.map(({ user_id, pending }) => [user_id, pending]));
}
