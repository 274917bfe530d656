import { ask, type Cells, done, isWaiting, listWaiting, withEcho } from '../../domain/cell.ts';
import { exhaust, fail, findNextRetryAt, findProblem } from '../../domain/failure.ts';
import type { GroupId } from '../../domain/ids.ts';
import { normaliseName } from '../../domain/name.ts';
import {
  isObservedActive,
  listUserDifferences,
  removesUserAccess,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { planUser, toPlannableUser } from '../../plan/plan-user.ts';
import {
  parseCells,
  parseStored,
  toChangedColumns,
  toDueClass,
  toUserCellColumns,
} from '../../store/engine/columns.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import { failedDelayMs } from '../backoff.ts';
import { toRestingRow } from '../lost-calls.ts';
import { type Recorded, toProgress, type Undone } from '../recorded.ts';
import type { Recording as RecordingOf } from '../resource-kind.ts';
import { NOTHING_FAILS, toFailureColumns, toLeftCells } from '../retry-columns.ts';
import { isRenamedSince } from './link-account.ts';
import type { UserKnown, UserOutcome, UserStep, UserTypes } from './outcome.ts';
import { listStillPlanned } from './refuse.ts';
import { followSeats } from './seats.ts';

/** Step while it is recorded. */
export type Recording = RecordingOf<UserTypes>;

/** Plans again from the new state: clears pending fields that hold, and finishes the run unless there is a next step. */
export async function finishStep(
  tx: Db,
  row: UserRow,
  step: Recording,
  notified: GroupId[],
  undone: readonly Undone[] = [],
): Promise<Recorded<UserState>> {
  const { policy, now } = step;
  const all = toUserState(row);
  // What rests may hold by now, and then nothing else waits for it.
  const { cells, attempts, retryAt } = toLeftCells(all.cells, planUser(all, policy).done, step);
  const state = toPlannableUser({ ...all, cells }, now);
  const { actions } = planUser(state, policy);
  const isWaitingStill = listWaiting(cells).length > 0;
  const next: UserRow = {
    ...row,
    due_class: toDueClass(removesUserAccess({ ...state, cells })),
    ...toUserCellColumns(cells),
    ...(isWaitingStill
      ? toFailureColumns(row, { attempts, problem: findProblem(cells), now })
      : NOTHING_FAILS),
  };
  if (actions.length > 0) {
    await saveChanges(tx, step, { ...next, due_at: now });
    return { finished: false, state, undone, notified };
  }
  const rested = { ...next, due_at: retryAt ?? null };
  const isSure = isWaitingStill || row.unsure_since === null;
  await saveChanges(tx, step, isSure ? rested : await toRestingRow(tx, rested, step));
  // The account is deactivated first, and leaves the groups after that. A plan may hold its deactivation.
  const isOver = row.deleted_at !== null && !isStillActive({ ...state, cells }, policy);
  if (isOver) notified = [...notified, ...(await leaveGroups(tx, row.id, now))];
  return { finished: true, ...toProgress(next), undone, notified };
}

/** True for a user with an account that works and that nothing deactivates now. */
function isStillActive(
  { upstreamId, observed, cells }: UserState,
  { deactivation }: UserStep['policy'],
): boolean {
  if (upstreamId === undefined || observed === undefined) return false;
  return !isWaiting(cells.active) && isObservedActive(observed, deactivation);
}

/** Stores the columns of the row that the step has changed, and what follows for those who wait for a seat. */
export async function saveChanges(tx: Db, step: Recording, row: UserRow): Promise<void> {
  const { original } = step;
  const landed = { ...row, in_flight: 0, steps: original.steps + 1 };
  await updateUser(tx, row.id, toChangedColumns(original, landed), original);
  await followSeats(tx, step, row);
}

/** Cells after a step: every difference of a new account waits, and of an old account what waited and is not done. */
export function toCellsAfter(
  row: UserRow,
  { planned, policy }: Pick<UserStep, 'planned' | 'policy'>,
  known: UserKnown,
): Cells<UserField> {
  const { desired, cells } = toUserState(row);
  const { echo, observed } = known;
  const heard = echo === undefined ? cells : withEcho(cells, 'name', echo);
  const left = done(heard, planned.cells, known.doneFields ?? []);
  if (known.upstreamId === undefined || observed === undefined) return left;
  const said = echo === undefined ? {} : withEcho<UserField>({}, 'name', echo);
  const owed = listUserDifferences(desired, observed, said, policy.deactivation);
  // The address stays as the service made it; another one that is wanted by now is tried.
  const isRenamed = !known.adopted && isRenamedSince(desired, parseStored(row.sent_creates));
  const isOwed = (field: UserField) => field !== 'address' || isRenamed;
  // The last write that claimed the account is answered for all of it.
  const version = cells.account?.pending ?? planned.cells.account?.pending ?? row.version;
  return ask(
    left,
    owed.filter((field) => field === 'active' || (row.deleted_at === null && isOwed(field))),
    version,
  );
}

/** Lists the fields at which an attempt failed: those of the call, or all that wait for a look. */
function listFailedParts(
  { cells }: UserState,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
  isOwn: boolean,
): readonly UserField[] {
  if (outcome.kind === 'unknown') return outcome.parts ?? [];
  return outcome.failedLook && isOwn ? listWaiting(cells) : [];
}

/**
 * Counts an attempt at the failed fields. A field that failed by its own fault rests by itself, and the others go on
 * after the look. While the service may be out, the whole user waits, and begins with the other fields.
 */
export function countFailed(
  row: UserRow,
  { planned, isOwn, attemptsMax, now, random }: UserStep,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
): UserRow {
  const fields = listStillPlanned(row, planned, listFailedParts(planned, outcome, isOwn));
  if (fields.length === 0) return row;
  const cells = fail(parseCells<UserField>(row), {
    fields,
    problem: outcome.problem,
    isOwn,
    toRetryAt: (attempts) => (isOwn ? now + failedDelayMs(attempts, attemptsMax, random) : now),
    held: planned.observed ? { name: normaliseName(planned.observed.fullName) } : {},
  });
  if (outcome.kind === 'later') {
    // No step follows that would find it exhausted.
    const due_at = findNextRetryAt(cells, now) ?? row.due_at;
    return { ...row, ...toUserCellColumns(exhaust(cells, attemptsMax, now)), due_at };
  }
  const changed = { ...row, ...toUserCellColumns(cells) };
  if (!isOwn) return changed;
  const goesOn = listWaiting(toPlannableUser(toUserState(changed), now).cells).length > 0;
  const times = fields.map((field) => cells[field]?.failure?.retryAt ?? now);
  return { ...changed, due_at: goesOn ? now : Math.min(row.due_at ?? now, ...times) };
}
