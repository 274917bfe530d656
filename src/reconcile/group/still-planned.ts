import type { GroupField, GroupState } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Pending } from '../../domain/pending.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { listLinks } from '../../store/links/links.ts';
import type { Db } from '../../store/store.ts';
import type { GroupPart } from './outcome.ts';
import { groupRefusedLinks } from './refused-links.ts';

const NOBODY: ReadonlyMap<UserId, number | null> = new Map();

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
  const waiting = { member: NOBODY, admin: NOBODY };
  for (const { kind, table, changes } of groupRefusedLinks(parts)) {
    const userIds = changes.map(({ userId }) => userId);
    const links = await listLinks(tx, table, row.id, userIds);
    waiting[kind] = new Map(links.map(({ user_id, pending: version }) => [user_id, version]));
  }
  return parts.filter((part) =>
    part.kind === 'field'
      ? pending[part.field] === planned.pending[part.field]
      : waiting[part.kind].get(part.change.userId) === part.change.version,
  );
}
