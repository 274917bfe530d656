import type { GroupId } from '../../domain/ids.ts';
import { normaliseName } from '../../domain/name.ts';
import { addPending, type Pending, parsePendingFields, withoutDone } from '../../domain/pending.ts';
import { addFailed, findNextRetryAt, findProblem, withExhausted } from '../../domain/stuck.ts';
import {
  isObservedActive,
  listUserDifferences,
  removesUserAccess,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { planUser } from '../../plan/plan-user.ts';
import {
  parseStored,
  parseStuck,
  toChangedColumns,
  toDueClass,
  toUserStuckColumns,
} from '../../store/engine/columns.ts';
import { landUnchanged, RowChanged } from '../../store/in-flight.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';

import { losesName, toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import { failedDelayMs } from '../backoff.ts';
import { toRestingRow } from '../lost-calls.ts';
import type { Recording as RecordingOf } from '../record-frame.ts';
import { type Recorded, toProgress, type Undone } from '../recorded.ts';
import { toFailureColumns } from '../retry-columns.ts';
import { toLeftFields } from '../waiting-fields.ts';
import { isRenamedSince } from './link-account.ts';
import { toPlannable } from './load.ts';
import type { UserKnown, UserOutcome, UserStep } from './outcome.ts';
import { listStillPlanned } from './refuse.ts';

/** Step while it is recorded. */
export interface Recording extends UserStep, RecordingOf<UserRow> {}

/** Plans again from the new state: clears pending fields that hold, and finishes the run unless there is a next step. */
export async function finishStep(
  tx: Db,
  row: UserRow,
  step: Recording,
  notified: GroupId[],
  undone: readonly Undone[] = [],
): Promise<Recorded<UserState>> {
  const { policy, now } = step;
  const state = toPlannable(row, now);
  const { actions } = planUser(state, policy);
  const waiting = parseStored<Pending<UserField>>(row.pending);
  // The resting fields are included, because they may hold by now.
  const { done } = planUser({ ...state, pending: waiting, mustLook: row.must_look !== 0 }, policy);
  const { pending, stuck, attempts, retryAt } = toLeftFields(row, done, step);
  const next: UserRow = {
    ...row,
    pending: JSON.stringify(pending),
    due_class: toDueClass(removesUserAccess({ ...state, pending })),
    ...toUserStuckColumns(stuck),
    ...toFailureColumns(row, {
      isWaiting: Object.keys(pending).length > 0,
      attempts,
      problem: findProblem(stuck),
      now,
    }),
  };
  if (actions.length > 0) {
    await saveChanges(tx, step, { ...next, due_at: now });
    return { finished: false, state: toPlannable(next, now), undone, notified };
  }
  const rested = { ...next, due_at: retryAt ?? null };
  const isAtRest = Object.keys(pending).length === 0;
  await saveChanges(tx, step, isAtRest ? await toRestingRow(tx, rested, step) : rested);
  // The account is deactivated first, and leaves the groups after that. A plan may hold its deactivation.
  const isOver = row.deleted_at !== null && !isStillActive({ ...state, pending }, policy);
  if (isOver) notified = [...notified, ...(await leaveGroups(tx, row.id, now))];
  return { finished: true, ...toProgress(next), undone, notified };
}

/** True for a user with an account that works and that nothing deactivates now. */
function isStillActive(
  { upstreamId, observed, pending }: UserState,
  { deactivation }: UserStep['policy'],
): boolean {
  if (upstreamId === undefined || observed === undefined) return false;
  return pending.active === undefined && isObservedActive(observed, deactivation);
}

/** Stores the columns of the row that the step has changed. @throws RowChanged when the row is not as it was known */
export async function saveChanges(
  tx: Db,
  { original, isKnown, lead }: Recording,
  row: UserRow,
): Promise<void> {
  const landed = { ...row, in_flight: 0, steps: original.steps + 1 };
  const change = toChangedColumns(original, landed);
  if (!isKnown) return updateUser(tx, row.id, change);
  if (losesName(change)) throw new RowChanged();
  await landUnchanged(tx, 'users', original, change, lead);
}

/** Pending fields after a step: every difference for a new account, and the waiting ones for an old account. */
export function toPendingAfter(
  row: UserRow,
  { planned, policy }: Pick<UserStep, 'planned' | 'policy'>,
  known: UserKnown,
): Pending<UserField> {
  const pending = withoutDone(
    parseStored<Pending<UserField>>(row.pending),
    planned.pending,
    known.doneFields ?? [],
  );
  if (known.upstreamId === undefined || known.observed === undefined) return pending;
  const { desired } = toUserState(row);
  const owed = listUserDifferences(
    desired,
    known.observed,
    known.echoes ?? {},
    policy.deactivation,
  );
  // The address stays as the service made it; another one that is wanted by now is tried.
  const isRenamed = !known.adopted && isRenamedSince(desired, parseStored(row.sent_creates));
  const isOwed = (field: UserField) => field !== 'address' || isRenamed;
  // The last write that claimed the account is answered for all of it.
  const claimed = parseStored<Pending<UserField>>(row.pending).account;
  const version = claimed ?? planned.pending.account ?? row.version;
  return addPending(
    pending,
    owed.filter((field) => field === 'active' || (row.deleted_at === null && isOwed(field))),
    version,
  );
}

/** Lists the fields at which an attempt failed: those of the call, or all that wait for a look. */
function listFailedParts(
  { pending }: UserState,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
  isOwn: boolean,
): readonly UserField[] {
  if (outcome.kind === 'unknown') return outcome.parts ?? [];
  return outcome.failedLook && isOwn ? parsePendingFields(pending) : [];
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
  const pending = parseStored<Pending<UserField>>(row.pending);
  const stuck = addFailed(parseStuck<UserField>(row), pending, {
    fields,
    problem: outcome.problem,
    isOwn,
    toRetryAt: (attempts) => (isOwn ? now + failedDelayMs(attempts, attemptsMax, random) : now),
    held: planned.observed ? { name: normaliseName(planned.observed.fullName) } : {},
  });
  if (outcome.kind === 'later') {
    // No step follows that would find it exhausted.
    const due_at = findNextRetryAt(pending, stuck, now) ?? row.due_at;
    return { ...row, ...toUserStuckColumns(withExhausted(stuck, attemptsMax, now)), due_at };
  }
  const changed = { ...row, ...toUserStuckColumns(stuck) };
  if (!isOwn) return changed;
  const goesOn = Object.keys(toPlannable(changed, now).pending).length > 0;
  const times = fields.map((field) => stuck[field]?.retryAt ?? now);
  return { ...changed, due_at: goesOn ? now : Math.min(row.due_at ?? now, ...times) };
}
