import type { GroupField, GroupState, ObservedGroup } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { type Pending, settlePending } from '../../domain/pending.ts';
import {
  countAttempts,
  findNextRetryAt,
  findProblem,
  listFailed,
  withExhausted,
  withoutSettled,
} from '../../domain/stuck.ts';
import { planGroup } from '../../plan/plan-group.ts';
import { haveInspected, noteMissing } from '../../store/drifts.ts';
import {
  parseStored,
  parseStuck,
  toChangedColumns,
  toDueClass,
  toRested,
  toStuckColumns,
} from '../../store/engine/columns.ts';
import {
  deleteGroup,
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { deleteAllLinks, restartLinks } from '../../store/links/observations.ts';
import { listLinkedUsers, touchMembers, touchUsers } from '../../store/links/shown.ts';
import { markExhausted, readWaiting, type WaitingSummary } from '../../store/links/work.ts';
import { LOST_CREATE } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
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
import { countFailed, countParts } from './count-failed.ts';
import { followGroupStep } from './follow-step.ts';
import { handOverGroup } from './heir.ts';
import { linkGroup } from './link-group.ts';
import { listGroupLinks, toTriable } from './load.ts';
import { isItsOwn, isLostLook, mayHaveCreated } from './lost.ts';
import type { GroupKnown, GroupOutcome, GroupPart } from './outcome.ts';
import { toPendingAfter } from './pending-after.ts';
import { recordLinks } from './record-links.ts';
import { hideUncreated, isTakenBack, refuse } from './refuse.ts';
import type { GroupStep } from './step.ts';
import { listStillPlanned } from './still-planned.ts';

/** A step while it is recorded, with the row as it was read. */
interface Recording extends GroupStep {
  readonly original: GroupRow;
  /** Whose changes were taken back; what rules derived from them follows. */
  readonly reverted: UserId[];
}

/**
 * Records what a step taught about a group, in one transaction with what follows from it. Gives the
 * lane back unless there is a next step.
 */
export async function recordGroupStep(tx: Db, step: GroupStep): Promise<Recorded<GroupState>> {
  const row = await lockGroup(tx, step.planned.id);
  if (row === undefined) return { finished: true, ...GONE, undone: [], woken: [] };
  if (await handOverGroup(tx, row, step)) {
    await updateGroup(tx, row.id, {
      ...FREE_LANE,
      ...toNoTrouble(row),
      failing_since: null,
      pending: '{}',
      due_at: null,
    });
    return { finished: true, ...GONE, undone: [], woken: [] };
  }
  if (row.lane_token !== step.lease.token) {
    // Somebody else holds the lane now: what our call did is not ours to judge, so they look.
    const lost = mayHaveCreated(row, step.planned) ? LOST_CREATE : {};
    await updateGroup(tx, row.id, { ...toDoubtedColumns(row, step.now), ...lost });
    return toFinished(tx, row, []);
  }
  const recording: Recording = { ...step, original: row, reverted: [] };
  const left = withoutUncreated(row, step);
  const recorded = await recordOutcome(step.outcome, {
    done: (known) => recordDone(tx, left, recording, known),
    refused: (outcome) => recordRefused(tx, left, recording, outcome),
    postponed: (outcome) => recordRetry(tx, left, recording, outcome),
  });
  return followGroupStep(tx, recording, recorded);
}

async function recordDone(
  tx: Db,
  row: GroupRow,
  step: Recording,
  known: GroupKnown,
): Promise<Recorded<GroupState>> {
  if (known.missing) return recordMissing(tx, row, step);
  const isLost = isLostLook(row, step.planned);
  if (isLost && !(await isItsOwn(tx, row, known.ids))) return recordLostLook(tx, row, step);
  const isLook = step.planned.mustLook;
  let next: GroupRow = { ...row, ...(isLook ? toLooked(row) : toNoTrouble(row)) };
  if (known.ids !== undefined) {
    const linked = await linkGroup(tx, row, known, step.now);
    if (linked.kind === 'later') return recordRetry(tx, row, step, linked);
    if (linked.kind === 'refused') {
      const parts: GroupPart[] = [{ kind: 'field', field: 'existence' }];
      return recordRefused(tx, row, step, { parts, problem: linked.problem });
    }
    next = { ...next, ...linked.columns, lost_looks: 0, sent_creates: '[]' };
  }
  if (isLook) next.stuck = toRested(row, step.now);
  const observed = known.observed ?? toTouched(row, known, step.now);
  if (observed !== undefined) next.observed = JSON.stringify(observed);
  next.pending = JSON.stringify(toPendingAfter(row, step, known));
  await recordLinks(tx, next, step, known);
  const { failedLinks = [], refusedMembers = [] } = known;
  const [failed] = failedLinks;
  if (failed) await countParts(tx, next, step, { ...failed, parts: failedLinks });
  const [refused] = refusedMembers;
  if (refused) return recordRefused(tx, next, step, { ...refused, parts: refusedMembers });
  return finish(tx, next, step, []);
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

/** Nothing was found that could be its: it is looked for again, a bounded number of times. */
async function recordLostLook(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  const lost_looks = row.lost_looks - 1;
  const due_at = planNextLostLook(lost_looks, step.now);
  const next: GroupRow = { ...row, ...toNoTrouble(row), failing_since: null, lost_looks };
  if (due_at === undefined) return finish(tx, next, step, []);
  const changed: GroupRow = { ...next, ...FREE_LANE, must_look: 1, due_at };
  await save(tx, step, changed);
  await deleteAllLinks(tx, row.id);
  return toFinished(tx, changed, []);
}

/**
 * The service has no such group. A deleted one is done with; where something waits for one that is wanted it is
 * created anew, and where nothing does, that is for whoever compares it to say.
 */
async function recordMissing(
  tx: Db,
  row: GroupRow,
  step: Recording,
): Promise<Recorded<GroupState>> {
  if (row.deleted_at !== null || row.origin === null) {
    const people = await listLinkedUsers(tx, row.id);
    await deleteAllLinks(tx, row.id);
    await touchUsers(tx, people, step.now);
    return finish(tx, { ...row, ...toNoTrouble(row), observed: null, pending: '{}' }, step, []);
  }
  const { oldest } = await readWaiting(tx, row.id);
  if (row.pending === '{}' && oldest === undefined && row.observed !== null) {
    await haveInspected(tx, { type: 'group', id: row.id }, step.now);
    return finish(tx, { ...row, ...toNoTrouble(row) }, step, []);
  }
  const desired = { displayName: row.display_name };
  await noteMissing(tx, { type: 'group', id: row.id, desired }, step.now);
  await restartLinks(tx, row.id, row.version);
  const changed: GroupRow = {
    ...row,
    ...toNoTrouble(row),
    observed: null,
    upstream_scim_id: null,
    upstream_rest_id: null,
    upstream_uid: null,
    pending: JSON.stringify({ existence: row.version }),
  };
  return finish(tx, changed, step, []);
}

async function recordRefused(
  tx: Db,
  row: GroupRow,
  step: Recording,
  { parts: refused, problem }: { parts: readonly GroupPart[]; problem: Problem },
): Promise<Recorded<GroupState>> {
  if (isLostLook(row, step.planned)) return recordLostLook(tx, row, step);
  const parts = await listStillPlanned(tx, row, { planned: step.planned, parts: refused });
  if (parts.length === 0) return finish(tx, keepLook(row, step), step, []);
  const { undone, isUncreated, ...left } = await refuse(tx, row, { ...step, parts, problem });
  if (isUncreated) return recordUncreated(tx, row, step, undone);
  if (isTakenBack(row, left.row) || left.row.display_name !== row.display_name) {
    await save(tx, step, left.row);
    await touchMembers(tx, row.id, step.now);
  }
  return finish(tx, keepLook(left.row, step), step, undone);
}

/** A look that was refused still has to be made, unless nothing waits for the group any more. */
function keepLook(row: GroupRow, { planned }: Recording): GroupRow {
  if (!planned.mustLook) return row;
  const pending = parseStored<Pending<GroupField>>(row.pending);
  const isOwed = pending.existence !== undefined || isDoubted(row);
  return { ...row, must_look: isOwed ? 1 : 0 };
}

/** The write that created the group was taken back: nothing is left, or what finds a lost create. */
async function recordUncreated(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const people = await listLinkedUsers(tx, row.id);
  step.reverted.push(...people);
  await deleteAllLinks(tx, row.id);
  if (row.lost_looks === 0) await deleteGroup(tx, row.id);
  await touchUsers(tx, people, step.now);
  if (row.lost_looks > 0) return finish(tx, hideUncreated(row, step.now), step, undone);
  return { finished: true, ...GONE, undone, woken: [] };
}

async function recordRetry(
  tx: Db,
  row: GroupRow,
  step: Recording,
  outcome: Extract<GroupOutcome, { kind: 'later' | 'unknown' }>,
): Promise<Recorded<GroupState>> {
  const lost = outcome.kind === 'unknown' && mayHaveCreated(row, step.planned) ? LOST_CREATE : {};
  const retried: GroupRow = { ...row, ...toRetryColumns(row, outcome, step), ...lost };
  if (outcome.kind === 'later') return recordPaused(tx, retried, step);
  const { row: changed, goesOn } = await countFailed(tx, retried, step, outcome);
  if (goesOn || outcome.lookNow) {
    await save(tx, step, changed);
    const state = toTriable(changed, await listGroupLinks(tx, changed.id, step), step.now);
    return { finished: false, state, undone: [], woken: [] };
  }
  return recordPaused(tx, changed, step);
}

/** Gives the lane back until it is time to try again. */
async function recordPaused(tx: Db, row: GroupRow, step: Recording): Promise<Recorded<GroupState>> {
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

/** Plans again from what is now known: settles what holds, and keeps the lane when there is a next step. */
async function finish(
  tx: Db,
  row: GroupRow,
  step: Recording,
  undone: readonly Undone[],
): Promise<Recorded<GroupState>> {
  const { now } = step;
  const links = await listGroupLinks(tx, row.id, step);
  const state = toTriable(row, links, now);
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
    return { finished: false, state: toTriable(next, links, now), undone, woken: [] };
  }
  const due = [findNextRetryAt(pending, stuck, now), waiting.nextRetryAt];
  const times = due.filter((at) => at !== undefined);
  const due_at = times.length === 0 ? null : Math.min(...times);
  const due_class = toDueClass(waiting.removes || state.deleted);
  await save(tx, step, { ...next, ...FREE_LANE, due_at, due_class });
  // A deleted group that the service does not know has nobody in it.
  if (next.deleted_at !== null && !hasUpstreamIds(next)) await deleteAllLinks(tx, next.id);
  return { finished: true, ...toProgress(next, waiting.oldest), undone, woken: [] };
}

async function toFinished(
  tx: Db,
  row: GroupRow,
  undone: readonly Undone[],
): Promise<Extract<Recorded<GroupState>, { finished: true }>> {
  const { oldest } = await readWaiting(tx, row.id);
  return { finished: true, ...toProgress(row, oldest), undone, woken: [] };
}

async function save(tx: Db, { original }: Recording, row: GroupRow): Promise<void> {
  await updateGroup(tx, row.id, toChangedColumns(original, row));
}
