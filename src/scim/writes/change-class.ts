import type { ChangeClass } from '../../domain/change-class.ts';
import type { Pending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { AcceptedWrite } from './write-result.ts';

/** Kind of a stored write that waits for the service; the most urgent one, where it is several. */
export function toChangeClass(write: AcceptedWrite): ChangeClass {
  if (write.type === 'group') {
    const { removes, members, admins } = write.undo ?? {};
    if (removes === true) return 'member-removed';
    return (members?.size ?? 0) + (admins?.size ?? 0) > 0 ? 'member-added' : 'group';
  }
  const { row } = write;
  const { active, account } = parseStored<Pending<UserField>>(row.pending);
  if (active !== row.version && account !== row.version) return 'user';
  return row.active === 1 && row.deleted_at === null ? 'joiner' : 'leaver';
}
