import { isDeepStrictEqual } from 'node:util';
import { askOnly, isWaiting, onlyWaiting, withoutEchoes } from '../../domain/cell.ts';
import { deferForSeat, endRest } from '../../domain/failure.ts';
import { NOT_THERE } from '../../domain/refusal.ts';
import { toSentUser, type UserField, type UserState } from '../../domain/user.ts';
import { toPlannableUser } from '../../plan/plan-user.ts';
import { followUser } from '../../rules/follow.ts';
import { noteMissing } from '../../store/drifts.ts';
import {
  HANDED_OVER,
  hasWaiting,
  parseCells,
  toUserCellColumns,
} from '../../store/engine/columns.ts';
import { EVERYTHING_UNSURE, isUnsure } from '../../store/in-flight.ts';
import { addInspection } from '../../store/inspections.ts';
import { forgetLinksOf } from '../../store/links/observations.ts';
import { lockGroupsOf } from '../../store/links/shown.ts';
import { leaveGroups, notifyGroupsOf } from '../../store/links/work.ts';
import { endObserved } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import {
  deleteUser,
  lockUser,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import { listOvertaken, withFieldsClaimed } from '../lost-calls.ts';
import { isLostLook, keepLook, toAfterLostLook, toRetriedRow } from '../lost-create.ts';
import type { Problem } from '../outcome.ts';
import { GONE, type Recorded, toProgress } from '../recorded.ts';
import type { Recorder } from '../resource-kind.ts';
import { isStale, mayTakeEffect, toDoneColumns, toSuccessColumns } from '../retry-columns.ts';
import { hideNotCreated } from '../take-back.ts';
import {
  countFailed,
  finishStep,
  type Recording,
  saveChanges,
  toCellsAfter,
} from './finish-step.ts';
import {
  handOverByName,
  handOverToSuccessor,
  inheritAccount,
  type LinkResult,
  linkAccount,
  toStaleCells,
} from './link-account.ts';
import { toObservedColumns } from './observe.ts';
import type { UserKnown, UserOutcome, UserStep, UserTypes } from './outcome.ts';
import { listStillPlanned, refuse, saveEmails } from './refuse.ts';
import { SEAT_REST_MS } from './seats.ts';

/** Recorder of users: it clears fields that now hold, undoes a refused write or marks it as stuck, and tells whom it concerns. */
export const userRecorder: Recorder<UserTypes> = {
  async lock(tx, { id, deleted }) {
    await lockGroupsOf(tx, id, deleted ? 'all' : 'waiting');
    return lockUser(tx, id);
  },
  handOver,
  isRenamed,
  done: recordDone,
  refused: recordRefused,
  postponed: recordRetry,
  finish: (tx, row, step) => finishStep(tx, row, step, []),
  follow: followStep,
};

/** Gives the account of a deleted user to its successor, which is among what is due then; the user has nothing left to do. */
async function handOver(
  tx: Db,
  row: UserRow,
  step: UserStep,
): Promise<Recorded<UserState>['notified'] | undefined> {
  const { planned, outcome, now } = step;
  const ended = { now, isUnsure: mayTakeEffect(row, step) };
  const known: UserKnown = outcome.kind === 'done' ? outcome.known : {};
  const account = planned.upstreamId ?? known.upstreamId;
  const handed =
    (await handOverToSuccessor(tx, row, { ...ended, account })) ??
    (await handOverByName(tx, row, { ...ended, known }));
  if (handed === undefined) return undefined;
  const over = { ...HANDED_OVER, upstream_id: null, in_flight: 0, steps: row.steps + 1 };
  await updateUser(tx, row.id, over);
  return handed;
}

/** Follows the rules for a user whose write was taken back, or whose account was just found to be in groups. */
async function followStep(
  tx: Db,
  { rules, outcome, planned, now }: Recording,
  recorded: Recorded<UserState>,
): Promise<Recorded<UserState>> {
  const isLinked =
    outcome.kind === 'done' &&
    outcome.known.upstreamId !== undefined &&
    planned.upstreamId === undefined;
  if (recorded.undone.length === 0 && !isLinked) return recorded;
  const notifies = await followUser(tx, rules, planned.id, now);
  return notifies ? { ...recorded, notified: [...recorded.notified, planned.id] } : recorded;
}

async function recordDone(
  tx: Db,
  row: UserRow,
  step: Recording,
  known: UserKnown,
): Promise<Recorded<UserState>> {
  if (known.missing) return recordMissing(tx, row, step);
  // The result of a call may be undone by now: the owed look tells.
  if (isStale(row)) known = { ...known, doneFields: [] };
  if (known.upstreamId === undefined && isLostLook(row, step.planned))
    return recordLostLook(tx, row, step);
  let linked: LinkResult = { kind: 'linked', origin: row.origin };
  if (known.upstreamId !== undefined && known.upstreamId !== row.upstream_id) {
    linked = await linkAccount(tx, row, known);
    if (linked.kind === 'refused') {
      return recordRefused(tx, row, step, { parts: ['account'], problem: linked.problem });
    }
  }
  const after = toCellsAfter(row, step, known);
  // A look is an observation, so that what the service refused is tried again.
  const cells = step.planned.mustLook ? endRest(after, step.now, 'refused') : after;
  const changed: UserRow = {
    ...row,
    ...(known.observed ? toObservedColumns(row, known.observed) : {}),
    origin: linked.origin,
    upstream_id: known.upstreamId ?? row.upstream_id,
    ...(known.upstreamId === undefined ? {} : { lost_looks: 0, sent_creates: '[]' }),
    ...toDoneColumns(row, step),
    cells: JSON.stringify(cells),
  };
  const lost = step.planned.mustLook ? await listOvertaken(tx, changed, step) : [];
  const told = withFieldsClaimed(changed, lost);
  const next = await inherit(tx, told, { account: known.upstreamId, now: step.now });
  // Groups that waited for this account, its activation or its deactivation can go on.
  const changesAccess = known.upstreamId !== undefined || isWaiting(step.planned.cells.active);
  const notified = changesAccess ? await notifyGroupsOf(tx, row.id, step.now) : [];
  return finishStep(tx, next, step, notified);
}

/** True when the user was given another userName or address since the step was planned. */
function isRenamed(row: UserRow, { desired }: UserState): boolean {
  return !isDeepStrictEqual(toSentUser(toUserState(row).desired), toSentUser(desired));
}

/** The row after it has taken its account from deleted users, whose calls may still take effect. */
async function inherit(
  tx: Db,
  row: UserRow,
  ended: Parameters<typeof inheritAccount>[2],
): Promise<UserRow> {
  const deleted = await inheritAccount(tx, row, ended);
  if (deleted.length === 0) return row;
  const unsure = deleted.some(isUnsure) ? EVERYTHING_UNSURE : {};
  return { ...row, ...unsure, must_look: 1, cells: JSON.stringify(toStaleCells(row)) };
}

/** Records a look that found nothing: the account is looked for again, a bounded number of times. */
async function recordLostLook(tx: Db, row: UserRow, step: Recording): Promise<Recorded<UserState>> {
  const { next, isLast } = toAfterLostLook(row, step.now);
  if (isLast) {
    const cells = JSON.stringify(onlyWaiting(parseCells<UserField>(row), []));
    return finishStep(tx, { ...next, cells }, step, []);
  }
  await saveChanges(tx, step, next);
  const notified = row.deleted_at === null ? [] : await leaveGroups(tx, row.id, step.now);
  return { finished: true, ...toProgress(next), undone: [], notified };
}

/**
 * Records that the service has no such account. A write that would have taken it over is refused, and the user is
 * forgotten. Else, where something waits for it, a wanted account is created anew, and an unwanted one is done.
 * Otherwise the next comparison reports it.
 */
async function recordMissing(tx: Db, row: UserRow, step: Recording): Promise<Recorded<UserState>> {
  const takeover = step.undos.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (takeover !== undefined && row.deleted_at === null) {
    await endObserved(tx, row, step.now);
    const undone = [{ version: takeover.version, problem: NOT_THERE }];
    return { finished: true, ...GONE, undone, notified: [] };
  }
  if (!hasWaiting(row) && row.observed !== null && row.deleted_at === null) {
    await addInspection(tx, { type: 'user', id: row.id }, { source: 'discovery', now: step.now });
    return finishStep(tx, { ...row, ...toSuccessColumns(row) }, step, []);
  }
  const wanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  const cells = withoutEchoes(parseCells<UserField>(row));
  // Its memberships are forgotten, and the wanted ones wait to be made again.
  await forgetLinksOf(tx, row.id);
  if (wanted)
    await noteMissing(tx, { type: 'user', id: row.id, desired: { active: true } }, step.now);
  const changed: UserRow = {
    ...row,
    ...toObservedColumns(row, undefined),
    upstream_id: null,
    ...toSuccessColumns(row),
    // Somebody may have made another account since: one who is to work is created, and anybody else looked for.
    cells: JSON.stringify(askOnly(cells, row.origin === null ? [] : ['account'], row.version)),
  };
  return finishStep(tx, changed, step, []);
}

async function recordRefused(
  tx: Db,
  row: UserRow,
  step: Recording,
  { parts: refused, problem }: { parts: readonly UserField[]; problem: Problem },
): Promise<Recorded<UserState>> {
  if (isLostLook(row, step.planned)) return recordLostLook(tx, row, step);
  const fields = listStillPlanned(row, step.planned, refused);
  if (fields.length === 0) return finishStep(tx, keepLook(row, step), step, []);
  const { undone, isNotCreated, ...left } = refuse(row, { ...step, fields, problem });
  await saveEmails(tx, row, left.row);
  if (!isNotCreated) return finishStep(tx, keepLook(left.row, step), step, [], undone);
  if (row.lost_looks > 0) return finishStep(tx, hideNotCreated(row, step.now), step, [], undone);
  await deleteUser(tx, row.id);
  return { finished: true, ...GONE, undone, notified: [] };
}

async function recordRetry(
  tx: Db,
  row: UserRow,
  step: Recording,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
): Promise<Recorded<UserState>> {
  if (outcome.kind === 'later' && outcome.noSeat !== undefined)
    return recordSeatWait(tx, row, step, outcome);
  const changed = countFailed(toRetriedRow(row, outcome, step), step, outcome);
  await saveChanges(tx, step, changed);
  if (outcome.kind === 'unknown' && outcome.lookNow) {
    return {
      finished: false,
      state: toPlannableUser(toUserState(changed), step.now),
      undone: [],
      notified: [],
    };
  }
  const retryAt = changed.due_at ?? step.now;
  return { finished: true, ...toProgress(changed), retryAt, undone: [], notified: [] };
}

/** Records additions that wait for a free seat. What else waits for the user goes on, removals above all. */
async function recordSeatWait(
  tx: Db,
  row: UserRow,
  step: Recording,
  { noSeat = [], problem }: Extract<UserOutcome, { kind: 'later' }>,
): Promise<Recorded<UserState>> {
  const fields = listStillPlanned(row, step.planned, noSeat);
  const { now } = step;
  const wait = { fields, problem, now, retryAt: now + SEAT_REST_MS };
  const cells = deferForSeat(parseCells<UserField>(row), wait);
  const waiting = { ...row, ...toUserCellColumns(cells), ...toSuccessColumns(row) };
  return finishStep(tx, { ...waiting, failing_since: null }, step, []);
}
