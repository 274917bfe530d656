import type { GroupState } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { addPending, type Pending, parsePendingFields } from '../../domain/pending.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  findGroupByUpstream,
  type GroupRow,
  hasUpstreamIds,
  updateGroup,
} from '../../store/groups/groups.ts';
import { distrustLinks } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { toDoubtedColumns } from '../retry-columns.ts';

/** A step that ended, and when it is recorded (epoch milliseconds). */
interface EndedStep {
  readonly planned: GroupState;
  readonly now: number;
}

/**
 * Gives up a group that was let go where another row has it by now: the same group, taken up again while
 * a call for the old row was on its way. What that call was about waits again, after a look: what the
 * heir was seen to hold may be over. Whoever runs the heir keeps its lane, because a call of theirs may be
 * on its way. True: there is nothing left to do for the old row.
 */
export async function handOverGroup(
  tx: Db,
  row: GroupRow,
  { planned, now }: EndedStep,
): Promise<boolean> {
  if (row.deleted_at === null || hasUpstreamIds(row)) return false;
  const heir = await findGroupByUpstream(tx, planned.ids);
  if (heir === undefined || heir.deleted_at !== null || heir.origin === null) return false;
  const people = { members: toIds(planned.members), admins: toIds(planned.admins) };
  await distrustLinks(tx, heir.id, { ...people, version: heir.version });
  const fields = parsePendingFields(planned.pending).filter((field) => field !== 'existence');
  const pending = addPending(parseStored<Pending<string>>(heir.pending), fields, heir.version);
  await updateGroup(tx, heir.id, {
    ...toDoubtedColumns(heir, now),
    pending: JSON.stringify(pending),
  });
  return true;
}

function toIds(changes: GroupState['members']): UserId[] {
  return changes.map(({ userId }) => userId);
}
