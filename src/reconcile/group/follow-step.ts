import type { GroupState } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import type { Rules } from '../../rules/rules.ts';
import { findGroupRow, type GroupRow } from '../../store/groups/groups.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Recorded } from '../recorded.ts';
import type { GroupOutcome } from './outcome.ts';

/** A recorded step, as far as rules care. */
export interface StepNews {
  readonly rules: Rules;
  readonly outcome: GroupOutcome;
  /** The group before the step. */
  readonly original: GroupRow;
  /** Whose changes were taken back. */
  readonly reverted: readonly UserId[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Follows what a step took back, or found to be there already: rules derive other things from it now. */
export async function followGroupStep(
  tx: Db,
  { rules, outcome, original, reverted, now }: StepNews,
  recorded: Recorded<GroupState>,
): Promise<Recorded<GroupState>> {
  const isAdopted = outcome.kind === 'done' && outcome.known.adopted === true;
  if (recorded.undone.length === 0 && !isAdopted) return recorded;
  const { id } = original;
  await enterRules(tx, rules, 'names');
  const before = isAdopted ? undefined : toRuledName(original);
  const after = toRuledName(await findGroupRow(tx, id));
  const { wakes } = await followGroup(tx, rules, { id, before, after, people: reverted }, now);
  return wakes ? { ...recorded, woken: [...recorded.woken, id] } : recorded;
}

/** A provider that was refused all it wanted of the list of admins does not have it. */
export function revertAdminsAsked(
  row: GroupRow,
  links: readonly UserId[],
  undo: GroupUndo,
): GroupRow {
  const wanted = [...undo.admins.keys()];
  if (wanted.length === 0 || wanted.some((userId) => !links.includes(userId))) return row;
  return { ...row, admins_asked: undo.before?.adminsAsked ?? 0 };
}
