import { type GroupField, listGroupDifferences, toDesiredGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { addPending, type Pending, settlePending } from '../../domain/pending.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds } from '../../store/groups/groups.ts';
import { isDoubted } from '../retry-columns.ts';
import type { GroupKnown } from './outcome.ts';
import type { GroupStep } from './step.ts';

/** What waits after a step of the group itself. */
export function toPendingAfter(
  row: GroupRow,
  step: Pick<GroupStep, 'planned'>,
  known: GroupKnown,
): Pending<GroupField> {
  const pending = parseStored<Pending<GroupField>>(row.pending);
  // A look at a group that is to go finds it: its removal still waits.
  const settled = isDoubted(row)
    ? []
    : (known.settled ?? []).filter((f) => f !== 'existence' || row.deleted_at === null);
  const left = settlePending(pending, step.planned.pending, settled);
  const claim = pending.existence ?? step.planned.pending.existence ?? row.version;
  return addPending(left, listOwed(row, known), claim);
}

/** A new group owes every difference from what is asked by now; an old one only what waited before. */
function listOwed(row: GroupRow, { ids, observed }: GroupKnown): GroupField[] {
  if (hasUpstreamIds(row) || ids === undefined || observed === undefined) return [];
  if (row.deleted_at !== null) return [];
  const desired = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  return listGroupDifferences(desired, observed);
}
