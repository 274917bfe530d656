import { ask, type Cells, done, listWaiting, withEcho } from '../../domain/cell.ts';
import { endEntities, listEntityFields, seeEntities } from '../../domain/entity.ts';
import { endRest, findProblem } from '../../domain/failure.ts';
import {
  type GroupField,
  type GroupState,
  listGroupDifferences,
  type ObservedGroup,
  toDesiredGroup,
} from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type GroupPolicy, planGroup, toPlannableGroup } from '../../plan/plan-group.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import {
  hasWaiting,
  parseCells,
  parseStored,
  toCellColumns,
  toChangedColumns,
  toDueClass,
} from '../../store/engine/columns.ts';
import {
  findGroupRow,
  type GroupRow,
  hasUpstreamIds,
  toGroupState,
  toObservedGroup,
  toSeenEntities,
  updateGroup,
} from '../../store/groups/groups.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import { deleteAllLinks, observeLinks } from '../../store/links/observations.ts';
import {
  listWaitingLinks,
  NO_LINKS,
  readWaiting,
  type WaitingLinks,
  type WaitingSummary,
} from '../../store/links/waiting.ts';
import { markExhausted, saveDoneLinks } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { toRestingRow } from '../lost-calls.ts';
import { type Recorded, toProgress, type Undone } from '../recorded.ts';
import type { Recording as RecordingOf } from '../resource-kind.ts';
import {
  isStale,
  NOTHING_FAILS,
  toDoneColumns,
  toFailureColumns,
  toLeftCells,
} from '../retry-columns.ts';
import type { GroupKnown, GroupStep, GroupTypes } from './outcome.ts';

/** Step while it is recorded. */
export type Recording = RecordingOf<GroupTypes>;

/** Query of the waiting members and admins of a group. */
export interface LinkQuery {
  readonly policy: GroupPolicy;
  readonly inactiveWait: boolean;
  readonly now: number;
}

/** Lists the waiting changes for one plan: as many as two calls can carry. */
export async function listGroupLinks(
  db: Db,
  id: GroupId,
  { policy, inactiveWait, now }: LinkQuery,
): Promise<WaitingLinks> {
  const limit = Math.max(policy.membersPerCall, 50) * 2;
  return listWaitingLinks(db, id, { limit, now, inactiveWait });
}

const NOTHING_WAITING: WaitingSummary = {
  oldest: undefined,
  nextRetryAt: undefined,
  removes: false,
  stuck: undefined,
  failed: undefined,
};

/** Finishes the run where nothing of the group waits any more, and plans again where something does. */
export async function finishStep(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const held = await readWaiting(tx, row.id, step.now);
  const isOver = held.oldest === undefined && row.must_look === 0 && !hasWaiting(row);
  const recorded = isOver
    ? await finishAtRest(tx, row, step, undone)
    : await planAgain(tx, row, step, { held, undone });
  // A deleted group that the service does not know has no members.
  const isGone = row.deleted_at !== null && !hasUpstreamIds(row);
  if (isGone && recorded.finished) await deleteAllLinks(tx, row.id);
  return recorded;
}

/** Finishes the run of a group of which nothing waits any more. */
async function finishAtRest(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const entities = toSeenEntities(row);
  const rested: GroupRow = {
    ...row,
    ...NOTHING_FAILS,
    ...{ stuck_at: null, due_at: null, due_class: toDueClass(row.deleted_at !== null) },
    ...(entities && { cells: JSON.stringify(endEntities<GroupField>(parseCells(row), entities)) }),
  };
  const next = row.unsure_since === null ? rested : await toRestingRow(tx, rested, step);
  await saveChanges(tx, step, next);
  return { finished: true, version: row.version, oldestPending: undefined, undone, notified: [] };
}

/** Plans again from the new state: clears pending fields that hold, and finishes the run unless there is a next step. */
async function planAgain(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { held, undone }: { readonly held: WaitingSummary; readonly undone: readonly Undone[] },
): Promise<Recorded<GroupState>> {
  const { now } = step;
  const links = held.oldest === undefined ? NO_LINKS : await listGroupLinks(tx, row.id, step);
  const all = toGroupState(row, links);
  // What rests may hold by now, and then nothing else waits for it.
  const left = toLeftCells(all.cells, planGroup(all, step.policy).done, step);
  const cells = endEntities<GroupField>(left.cells, all.entities);
  const state = toPlannableGroup({ ...all, cells }, now);
  const isOver = planGroup(state, step.policy).actions.length === 0;
  const waiting = await readShown(tx, row, step, { isOver, held });
  const isAtRest = isOver && waiting.oldest === undefined && listWaiting(cells).length === 0;
  if (isAtRest) return finishAtRest(tx, { ...row, cells: JSON.stringify(cells) }, step, undone);
  const next: GroupRow = {
    ...row,
    ...toCellColumns(cells, waiting.stuck),
    ...toFailureColumns(row, {
      attempts: Math.max(left.attempts, waiting.failed?.attempts ?? 0),
      problem: waiting.stuck?.problem ?? findProblem(cells) ?? waiting.failed?.problem,
      now,
    }),
  };
  if (!isOver) {
    await saveChanges(tx, step, { ...next, due_at: now });
    return { finished: false, state, undone, notified: [] };
  }
  const times = [left.retryAt, waiting.nextRetryAt].filter((at) => at !== undefined);
  const due_at = times.length === 0 ? null : Math.min(...times);
  const due_class = toDueClass(waiting.removes || state.deleted);
  await saveChanges(tx, step, { ...next, due_at, due_class });
  return { finished: true, ...toProgress(next, waiting.oldest), undone, notified: [] };
}

/** Reads the waiting changes that a group shows: at the end of a run all, and those that failed too often are stuck. */
async function readShown(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { isOver, held }: { readonly isOver: boolean; readonly held: WaitingSummary },
): Promise<WaitingSummary> {
  if (!isOver) return row.stuck_at === null ? NOTHING_WAITING : held;
  if ((held.failed?.attempts ?? 0) < step.attemptsMax) return held;
  await markExhausted(tx, row.id, step);
  return readWaiting(tx, row.id, step.now);
}

/** Result of the last step of a run. */
export async function toFinished(
  tx: Db,
  row: GroupRow,
  undone: readonly Undone[],
): Promise<Extract<Recorded<GroupState>, { finished: true }>> {
  const { oldest } = await readWaiting(tx, row.id);
  return { finished: true, ...toProgress(row, oldest), undone, notified: [] };
}

/** Stores the columns of the row that the step has changed. */
export async function saveChanges(tx: Db, { original }: Recording, row: GroupRow): Promise<void> {
  const landed = { ...row, in_flight: 0, steps: original.steps + 1 };
  await updateGroup(tx, row.id, toChangedColumns(original, landed));
}

/** The row after a step that worked, beside its ids. */
export function toDoneRow(row: GroupRow, step: Recording, known: GroupKnown): GroupRow {
  const observed = known.observed ?? toTouched(row, known, step.now);
  const left = toCellsAfter(row, step, known);
  // A look is an observation, so that what the service refused is tried again.
  const after = step.planned.mustLook ? endRest(left, step.now, 'refused') : left;
  const { entities } = known;
  const cells = entities === undefined ? after : seeEntities<GroupField>(after, entities);
  return {
    ...row,
    ...(entities !== undefined && { entities: JSON.stringify(entities) }),
    ...toDoneColumns(row, step),
    ...(observed === undefined ? {} : { observed: JSON.stringify(observed) }),
    cells: JSON.stringify(cells),
  };
}

/** Cells of the group after a step of the group itself. */
function toCellsAfter(
  row: GroupRow,
  step: Pick<GroupStep, 'planned'>,
  known: GroupKnown,
): Cells<GroupField> {
  const cells = parseCells<GroupField>(row);
  const { planned } = step;
  const { doneFields, echo, ids, observed } = known;
  const heard: Cells<GroupField> =
    echo === undefined ? cells : withEcho(cells, 'displayName', echo);
  // A look at a group that is to be removed finds it: its removal still waits.
  const held = doneFields?.filter((field) => field !== 'existence' || row.deleted_at === null);
  const left = held === undefined || isStale(row) ? heard : done(heard, planned.cells, held);
  const isNew = ids !== undefined && observed !== undefined && !hasUpstreamIds(row);
  if (!isNew || row.deleted_at !== null) return left;
  const claim = cells.existence?.pending ?? planned.cells.existence?.pending ?? row.version;
  return ask(left, listOwed(row, heard, observed), claim);
}

/**
 * A call that changed members or admins shows that the group is there. A list that was asked for before the call ended
 * may still show those of before, so the time of the call stands beside the times of looks.
 */
function toTouched(
  row: GroupRow,
  { members = [], admins = [], ids }: GroupKnown,
  now: number,
): ObservedGroup | undefined {
  const observed = toObservedGroup(row);
  if (observed === undefined || members.length + admins.length === 0) return undefined;
  if (ids?.scimId !== undefined) {
    return { ...observed, shownAt: now, at: now, by: scim.updateGroup.id };
  }
  const { id: by } = members.length > 0 ? groupUsers.addUserToGroup : groupAdmins.addAdminToGroup;
  return { ...observed, at: now, by };
}

/**
 * Lists the fields that a new group owes: every difference from the desired state. An old group owes only its pending
 * fields.
 */
function listOwed(row: GroupRow, cells: Cells<GroupField>, observed: ObservedGroup): GroupField[] {
  const desired = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  return [...listGroupDifferences(desired, observed, cells), ...listEntityFields(cells)];
}

/** Follows the rules after a step that took a write back or adopted the group. */
export async function followGroupStep(
  tx: Db,
  { rules, outcome, original, reverted, now }: Recording,
  recorded: Recorded<GroupState>,
): Promise<Recorded<GroupState>> {
  const isAdopted = outcome.kind === 'done' && outcome.known.adopted === true;
  if (recorded.undone.length === 0 && !isAdopted) return recorded;
  const { id } = original;
  await enterRules(tx, rules, 'names');
  const before = isAdopted ? undefined : toRuledName(original);
  const after = toRuledName(await findGroupRow(tx, id));
  const { notifies } = await followGroup(tx, rules, { id, before, after, users: reverted }, now);
  return notifies ? { ...recorded, notified: [...recorded.notified, id] } : recorded;
}

/** Stores who was seen in the group, and which changes of members and admins hold now. `original`: the row as it was read. */
export async function recordLinks(
  tx: Db,
  row: GroupRow,
  { planned, original }: Pick<GroupStep, 'planned'> & { readonly original: GroupRow },
  { members, admins, memberIds, adopted }: GroupKnown,
): Promise<void> {
  const plannedVersion = planned.version;
  // The result of a call may be undone by now: the owed look tells.
  if (members && !isStale(original)) {
    await saveDoneLinks(tx, 'memberships', row.id, { changes: members, plannedVersion });
  }
  if (admins && !isStale(original)) {
    await saveDoneLinks(tx, 'group_admins', row.id, { changes: admins, plannedVersion });
  }
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    const seen = { upstreamUserIds: memberIds, baseline, doneUpTo: toDoneUpTo(row) };
    await observeLinks(tx, 'memberships', row.id, seen);
  }
}
