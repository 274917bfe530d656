import type { GroupId } from '../../domain/ids.ts';
import { type Pending, settlePending } from '../../domain/pending.ts';
import {
  countAttempts,
  findNextRetryAt,
  findProblem,
  listFailed,
  withExhausted,
  withoutSettled,
} from '../../domain/stuck.ts';
import { removesUserAccess, type UserField, type UserState } from '../../domain/user.ts';
import { planUser } from '../../plan/plan-user.ts';
import { followPerson } from '../../rules/follow.ts';
import { haveInspected, noteMissing } from '../../store/drifts.ts';
import {
  parseStored,
  parseStuck,
  toChangedColumns,
  toDueClass,
  toRested,
  toStuckColumns,
} from '../../store/engine/columns.ts';
import { leaveGroups, notifyGroupsOf } from '../../store/links/work.ts';
import { LOST_CREATE } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import { deleteUser, lockUser, type UserRow, updateUser } from '../../store/users/users.ts';
import { planNextLostLook, withoutUncreated } from '../lost-create.ts';
import type { Problem } from '../outcome.ts';
import { GONE, type Recorded, recordOutcome, toProgress, type Undone } from '../recorded.ts';
import {
  FREE_LANE,
  isDoubted,
  toDoubtedColumns,
  toLooked,
  toNoTrouble,
  toRetryColumns,
  toTrouble,
} from '../retry-columns.ts';
import { countFailed } from './count-failed.ts';
import { type LinkResult, linkAccount, unlinkAccount } from './link-account.ts';
import { toTriable } from './load.ts';
import { toObservedColumns } from './observe.ts';
import type { UserKnown, UserOutcome } from './outcome.ts';
import { toPendingAfter } from './pending-after.ts';
import { hideUncreated, listStillPlanned, refuse, saveEmails } from './refuse.ts';
import type { UserStep } from './step.ts';
import { handOver, inheritAccount, toDoubtedPending } from './successor.ts';

/** A step while it is recorded, with the row as it was read. */
interface Recording extends UserStep {
  readonly original: UserRow;
}

/**
 * Records what a step taught, in one transaction with what follows from it: fields that now hold are
 * settled, a refused write is undone or stuck, groups that waited for the account are woken. Gives
 * the lane back unless there is a next step.
 */
export async function recordUserStep(tx: Db, step: UserStep): Promise<Recorded<UserState>> {
  const row = await lockUser(tx, step.planned.id);
  if (row === undefined) return { finished: true, ...GONE, undone: [], woken: [] };
  const isOver = await handOver(tx, row, { account: findAccount(step), now: step.now });
  if (row.lane_token !== step.lease.token) return recordFenced(tx, row, step);
  const recording: Recording = { ...step, original: row };
  if (isOver) return recordHandedOver(tx, row, recording);
  const left = withoutUncreated(row, step);
  const recorded = await recordOutcome(step.outcome, {
    done: (known) => recordDone(tx, left, recording, known),
    refused: (outcome) => recordRefused(tx, left, recording, outcome),
    postponed: (outcome) => recordRetry(tx, left, recording, outcome),
  });
  return followStep(tx, recording, recorded);
}

/** What rules derive from the groups of a person whose write was taken back, or who was just found to be in some. */
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
  const wakes = await followPerson(tx, rules, planned.id, now);
  return wakes ? { ...recorded, woken: [...recorded.woken, planned.id] } : recorded;
}

/** The account that the step was about, or that it found or created. */
function findAccount({ planned, outcome }: UserStep): number | undefined {
  return planned.upstreamId ?? (outcome.kind === 'done' ? outcome.known.upstreamId : undefined);
}

/** A deleted person without an account: nothing waits any more. */
async function recordHandedOver(
  tx: Db,
  row: UserRow,
  step: Recording,
): Promise<Recorded<UserState>> {
  const none = {
    upstream_id: null,
    pending: '{}',
    due_at: null,
    failing_since: null,
    lost_looks: 0,
    sent_creates: '[]',
  };
  const clean = { ...toNoTrouble(row), ...toStuckColumns({}) };
  await save(tx, step, { ...row, ...FREE_LANE, ...clean, ...none });
  return { finished: true, ...GONE, undone: [], woken: [] };
}

/** Somebody else holds the lane now: what our call did is not ours to judge, so they look. */
async function recordFenced(tx: Db, row: UserRow, step: UserStep): Promise<Recorded<UserState>> {
  const lost = mayHaveCreated(row, step) ? LOST_CREATE : {};
  await updateUser(tx, row.id, { ...toDoubtedColumns(row, step.now), ...lost });
  return { finished: true, ...toProgress(row), undone: [], woken: [] };
}

/** Whether the step that ended may have been a create. */
function mayHaveCreated({ upstream_id }: UserRow, { planned }: UserStep): boolean {
  return upstream_id === null && !planned.mustLook && planned.pending.account !== undefined;
}

async function recordDone(
  tx: Db,
  row: UserRow,
  step: Recording,
  known: UserKnown,
): Promise<Recorded<UserState>> {
  if (known.missing) return recordMissing(tx, row, step);
  // What a call has done may be undone by now: the look that is owed tells.
  if (isDoubted(row)) known = { ...known, settled: [] };
  if (known.upstreamId === undefined && isLostLook(row, step)) return recordLostLook(tx, row, step);
  let linked: LinkResult = { kind: 'linked', origin: row.origin };
  if (known.upstreamId !== undefined && known.upstreamId !== row.upstream_id) {
    linked = await linkAccount(tx, row, known, step.now);
    if (linked.kind === 'refused') {
      return recordRefused(tx, row, step, { parts: ['account'], problem: linked.problem });
    }
  }
  const changed: UserRow = {
    ...row,
    ...toObservedPart(row, known),
    origin: linked.origin,
    upstream_id: known.upstreamId ?? row.upstream_id,
    ...(known.upstreamId === undefined ? {} : { lost_looks: 0, sent_creates: '[]' }),
    ...(step.planned.mustLook ? toLooked(row) : toNoTrouble(row)),
    pending: JSON.stringify(toPendingAfter(row, step, known)),
    stuck: step.planned.mustLook ? toRested(row, step.now) : row.stuck,
  };
  if (await inheritAccount(tx, row, { account: known.upstreamId, now: step.now })) {
    changed.must_look = 1;
    changed.pending = toDoubtedPending(changed);
  }
  // Whoever waited for this account, for its activation or deactivation can go on now.
  const changesAccess = known.upstreamId !== undefined || step.planned.pending.active !== undefined;
  const woken = changesAccess ? await notifyGroupsOf(tx, row.id, step.now) : [];
  return finish(tx, changed, step, woken);
}

/** A look for what the lost create of somebody who is no more may have left. */
function isLostLook(row: UserRow, { planned }: Recording): boolean {
  const isGone = row.deleted_at !== null && row.upstream_id === null;
  return isGone && row.lost_looks > 0 && planned.mustLook;
}

/** Nothing was found: it is looked for again, a bounded number of times. */
async function recordLostLook(tx: Db, row: UserRow, step: Recording): Promise<Recorded<UserState>> {
  const lost_looks = row.lost_looks - 1;
  const due_at = planNextLostLook(lost_looks, step.now);
  const next: UserRow = { ...row, ...toNoTrouble(row), failing_since: null, lost_looks };
  if (due_at === undefined) return finish(tx, next, step, []);
  const changed: UserRow = { ...next, ...FREE_LANE, must_look: 1, due_at };
  await save(tx, step, changed);
  const woken = await leaveGroups(tx, row.id, step.now);
  return { finished: true, ...toProgress(changed), undone: [], woken };
}

function toObservedPart(row: UserRow, known: UserKnown): Partial<UserRow> {
  return {
    ...(known.observed ? toObservedColumns(row, known.observed) : {}),
    echoes: known.echoes
      ? JSON.stringify({ ...parseStored<object>(row.echoes), ...known.echoes })
      : row.echoes,
  };
}

/**
 * The service has no such account. Where something waits for it, one that is wanted is created anew, and the other
 * is done with; where nothing does, that is for whoever compares it to say.
 */
async function recordMissing(tx: Db, row: UserRow, step: Recording): Promise<Recorded<UserState>> {
  if (row.pending === '{}' && row.observed !== null && row.deleted_at === null) {
    await haveInspected(tx, { type: 'user', id: row.id }, step.now);
    return finish(tx, { ...row, ...toNoTrouble(row) }, step, []);
  }
  const wanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  await unlinkAccount(tx, row.id, step.now);
  if (wanted)
    await noteMissing(tx, { type: 'user', id: row.id, desired: { active: true } }, step.now);
  const changed: UserRow = {
    ...row,
    ...toObservedColumns(row, undefined),
    upstream_id: null,
    echoes: '{}',
    ...toNoTrouble(row),
    pending: JSON.stringify(wanted ? { account: row.version } : {}),
  };
  return finish(tx, changed, step, []);
}

async function recordRefused(
  tx: Db,
  row: UserRow,
  step: Recording,
  { parts: refused, problem }: { parts: readonly UserField[]; problem: Problem },
): Promise<Recorded<UserState>> {
  if (isLostLook(row, step)) return recordLostLook(tx, row, step);
  const fields = listStillPlanned(row, step.planned, refused);
  if (fields.length === 0) return finish(tx, keepLook(row, step), step, []);
  const { undone, isUncreated, ...left } = refuse(row, { ...step, fields, problem });
  await saveEmails(tx, row, left.row);
  if (!isUncreated) return finish(tx, keepLook(left.row, step), step, [], undone);
  if (row.lost_looks > 0) return finish(tx, hideUncreated(row, step.now), step, [], undone);
  await deleteUser(tx, row.id);
  return { finished: true, ...GONE, undone, woken: [] };
}

/** A look that was refused still has to be made, unless nothing waits for the account any more. */
function keepLook(row: UserRow, { planned }: Recording): UserRow {
  if (!planned.mustLook) return row;
  const pending = parseStored<Pending<UserField>>(row.pending);
  const isOwed = pending.account !== undefined || isDoubted(row);
  return { ...row, must_look: isOwed ? 1 : 0 };
}

async function recordRetry(
  tx: Db,
  row: UserRow,
  step: Recording,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
): Promise<Recorded<UserState>> {
  const lost = outcome.kind === 'unknown' && mayHaveCreated(row, step) ? LOST_CREATE : {};
  const retried = { ...toRetryColumns(row, outcome, step), ...lost };
  const changed = countFailed({ ...row, ...retried }, step, outcome);
  if (outcome.kind === 'unknown' && outcome.lookNow) {
    await save(tx, step, changed);
    return { finished: false, state: toTriable(changed, step.now), undone: [], woken: [] };
  }
  await save(tx, step, { ...changed, ...FREE_LANE });
  return {
    finished: true,
    ...toProgress(changed),
    retryAt: changed.due_at ?? step.now,
    undone: [],
    woken: [],
  };
}

/** Plans again from what is now known: settles what holds, and keeps the lane when there is a next step. */
async function finish(
  tx: Db,
  row: UserRow,
  step: Recording,
  woken: GroupId[],
  undone: readonly Undone[] = [],
): Promise<Recorded<UserState>> {
  const { policy, now } = step;
  const state = toTriable(row, now);
  const { actions } = planUser(state, policy);
  const waiting = parseStored<Pending<UserField>>(row.pending);
  // Of what rests too: it may hold by now.
  const { settled } = planUser(
    { ...state, pending: waiting, mustLook: row.must_look !== 0 },
    policy,
  );
  const pending = settlePending(waiting, waiting, settled);
  const left = withoutSettled(parseStuck<UserField>(row), pending);
  const stuck = withExhausted(left, step.attemptsMax, now);
  const next: UserRow = {
    ...row,
    pending: JSON.stringify(pending),
    due_class: toDueClass(removesUserAccess({ ...state, pending })),
    ...toStuckColumns(stuck),
    ...toTrouble(row, {
      isWaiting: Object.keys(pending).length > 0,
      attempts: countAttempts(listFailed(stuck, pending)),
      problem: findProblem(stuck),
      now,
    }),
  };
  if (actions.length > 0) {
    await save(tx, step, { ...next, due_at: now });
    return { finished: false, state: toTriable(next, now), undone, woken };
  }
  const due_at = findNextRetryAt(pending, stuck, now) ?? null;
  await save(tx, step, { ...next, ...FREE_LANE, due_at });
  // Deactivated first; only then out of the groups.
  if (row.deleted_at !== null) woken = [...woken, ...(await leaveGroups(tx, row.id, now))];
  return { finished: true, ...toProgress(next), undone, woken };
}

async function save(tx: Db, { original }: Recording, row: UserRow): Promise<void> {
  await updateUser(tx, row.id, toChangedColumns(original, row));
}
