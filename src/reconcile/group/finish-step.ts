import {
  type GroupField,
  type GroupState,
  listGroupDifferences,
  toDesiredGroup,
} from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { addPending, type Pending, settlePending } from '../../domain/pending.ts';
import {
  countAttempts,
  findNextRetryAt,
  findProblem,
  listFailed,
  withExhausted,
  withoutSettled,
} from '../../domain/stuck.ts';
import { planGroup } from '../../plan/plan-group.ts';
import {
  parseStored,
  parseStuck,
  toChangedColumns,
  toDueClass,
  toStuckColumns,
} from '../../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds, updateGroup } from '../../store/groups/groups.ts';
import { deleteAllLinks } from '../../store/links/observations.ts';
import { markExhausted, readWaiting, type WaitingSummary } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import type { Recorded, Undone } from '../recorded.ts';
import { toProgress } from '../recorded.ts';
import { FREE_LANE, isStale, toTrouble } from '../retry-columns.ts';
import { listGroupLinks, toPlannable } from './load.ts';
import type { GroupKnown, GroupStep } from './outcome.ts';

/** A step while it is recorded, with the row as it was read. */
export interface Recording extends GroupStep {
  readonly original: GroupRow;
  /** Users whose changes were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
}

/** Gives the lane back until it is time to try again. */
export async function recordPaused(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  await save(tx, step, { ...row, ...FREE_LANE });
  return { ...(await toFinished(tx, row, [])), retryAt: row.due_at ?? step.now };
}

const NOTHING_WAITS: WaitingSummary = {
  oldest: undefined,
  nextRetryAt: undefined,
  removes: false,
  stuck: undefined,
  failed: undefined,
};

/** Plans again from the new state: clears pending fields that hold, and keeps the lane when there is a next step. */
export async function finish(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const { now } = step;
  const links = await listGroupLinks(tx, row.id, step);
  const state = toPlannable(row, links, now);
  const { actions } = planGroup(state, step.policy);
  const asked = parseStored<Pending<GroupField>>(row.pending);
  // Of what rests too: it may hold by now.
  const { settled } = planGroup(
    { ...state, pending: asked, mustLook: row.must_look !== 0 },
    step.policy,
  );
  const pending = settlePending(asked, asked, settled);
  const left = withoutSettled(parseStuck<GroupField>(row), pending);
  const stuck = withExhausted(left, step.attemptsMax, now);
  const isOver = actions.length === 0;
  if (isOver) await markExhausted(tx, row.id, step);
  // While there is more to do, what became stuck on the way is shown at the end of the run.
  const waiting =
    isOver || row.stuck_at !== null ? await readWaiting(tx, row.id, now) : NOTHING_WAITS;
  const attempts = Math.max(
    countAttempts(listFailed(stuck, pending)),
    waiting.failed?.attempts ?? 0,
  );
  const next: GroupRow = {
    ...row,
    pending: JSON.stringify(pending),
    ...toStuckColumns(stuck, waiting.stuck),
    ...toTrouble(row, {
      isWaiting: !isOver || waiting.oldest !== undefined || Object.keys(pending).length > 0,
      attempts,
      problem: findProblem(stuck) ?? (waiting.stuck ?? waiting.failed)?.problem,
      now,
    }),
  };
  if (!isOver) {
    await save(tx, step, { ...next, due_at: now });
    return { finished: false, state: toPlannable(next, links, now), undone, notified: [] };
  }
  const due = [findNextRetryAt(pending, stuck, now), waiting.nextRetryAt];
  const times = due.filter((at) => at !== undefined);
  const due_at = times.length === 0 ? null : Math.min(...times);
  const due_class = toDueClass(waiting.removes || state.deleted);
  await save(tx, step, { ...next, ...FREE_LANE, due_at, due_class });
  // A deleted group that the service does not know has no members.
  if (next.deleted_at !== null && !hasUpstreamIds(next)) await deleteAllLinks(tx, next.id);
  return { finished: true, ...toProgress(next, waiting.oldest), undone, notified: [] };
}

export async function toFinished(
  tx: Db,
  row: GroupRow,
  undone: readonly Undone[],
): Promise<Extract<Recorded<GroupState>, { finished: true }>> {
  const { oldest } = await readWaiting(tx, row.id);
  return { finished: true, ...toProgress(row, oldest), undone, notified: [] };
}

export async function save(tx: Db, { original }: Recording, row: GroupRow): Promise<void> {
  await updateGroup(tx, row.id, toChangedColumns(original, row));
}

/** Pending fields of the group after a step of the group itself. */
export function toPendingAfter(
  row: GroupRow,
  step: Pick<GroupStep, 'planned'>,
  known: GroupKnown,
): Pending<GroupField> {
  const pending = parseStored<Pending<GroupField>>(row.pending);
  // A look at a group that is to go finds it: its removal still waits.
  const settled = isStale(row)
    ? []
    : (known.doneFields ?? []).filter((f) => f !== 'existence' || row.deleted_at === null);
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
