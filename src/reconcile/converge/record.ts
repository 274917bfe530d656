import { askAgain } from '../../domain/cell.ts';
import { endRest } from '../../domain/failure.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import type { Refusal } from '../../domain/values.ts';
import type { Part } from '../../plan/step.ts';
import { findFailedPart } from '../../plan/step.ts';
import { GONE } from '../../store/due.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { isPostgres, storeNow } from '../../store/engine/dialect.ts';
import { isUnsure } from '../../store/engine/store-error.ts';
import { deleteAllLinks, listLinkedUsers } from '../../store/links/links.ts';
import { lockGroupsOf } from '../../store/links/of-users.ts';
import { listCreations } from '../../store/logs.ts';
import { findRemovalCall, isLeaving } from '../../store/resources/backlog.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { deleteRow, lockRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { WritesRefused } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Again, Known, Outcome, Postponed } from '../outcome.ts';
import { backoffMs, failedDelayMs } from '../outcome.ts';
import { BLIND } from '../sections.ts';
import { listWaitingParts } from '../step-call.ts';
import type { Waiter, Waiters } from '../waiters.ts';
import { applyKnown, endDoubts, followStep } from './apply.ts';
import { endMissing, isLostLook, linkRow } from './existence.ts';
import type { Recorded, Recording } from './finish.ts';
import { changeCells, deferParts, finish, markDeleted, refuse } from './finish.ts';
import type { PlannedStep, SendGuard } from './step.ts';
import { EXISTENCE, listStillPlanned } from './step.ts';

interface EndedStep extends Pick<Recording, 'outcome' | 'isOwn' | 'failures'> {
  readonly guard: SendGuard;
}

/** Records a step of a user or group in one transaction, and answers the requests that it ends, once that is surely stored. */
export async function recordStep(
  deps: ReconcileDeps,
  waiters: Waiters,
  ended: EndedStep,
): Promise<Recorded> {
  const { row } = ended.guard.planned;
  const suspended = waiters.suspend(row);
  let r: Recording | undefined;
  const work = async (tx: Db) => {
    r = await begin(tx, deps, ended, suspended.waiters);
    return r === undefined ? GONE : record(r);
  };
  const recorded = await deps.store.write(work).catch((error: unknown) => {
    suspended.resume(isUnsure(error) ? r?.undone : [], error);
    throw error;
  });
  suspended.resume(r?.undone);
  deps.store.bell.ring('recorded');
  if (r !== undefined) report(r, recorded);
  waiters.answer(row, recorded);
  return recorded;
}

/** The recording of a step under the locks of all that it may change; undefined: the resource is gone. */
async function begin(
  tx: Db,
  deps: ReconcileDeps,
  { guard, ...ended }: EndedStep,
  waiting: readonly Waiter[],
): Promise<Recording | undefined> {
  const { outcome } = ended;
  const { planned: step } = guard;
  const now = deps.clock.now();
  const elsewhere = await listElsewhere(tx, step.row.id, outcome, now);
  await guard.saveOutcomes(tx);
  // Groups that the step may change are locked before the user.
  if (step.row.type === 'user')
    await lockGroupsOf(tx, step.row.id, step.row.deleted_at === null ? 'waiting' : 'all');
  const original: ResourceRow | undefined = await lockRow(tx, step.row);
  if (original === undefined) return undefined;
  return {
    ...ended,
    tx,
    deps,
    step,
    original,
    row: await guard.restore(tx, original, outcome),
    waiters: [...waiting, ...elsewhere],
    isStale: guard.isStale(original),
    isRetried: original.due_at !== step.row.due_at,
    undone: [],
    reverted: [],
    notifies: false,
    now,
    random: deps.random(),
  };
}

async function record(r: Recording): Promise<Recorded> {
  const { outcome } = r;
  const recorded = await recordOutcome(r, outcome);
  await followStep(r);
  for (const { waitId: id, version } of r.waiters) {
    const problem = id && r.undone.find((one) => one.version === version)?.problem;
    if (problem) await updateWhere(r.tx, 'errands', { id }, { answer: JSON.stringify(problem) });
  }
  return recorded;
}

function recordOutcome(r: Recording, outcome: Outcome | Again): Promise<Recorded> {
  switch (outcome.kind) {
    case 'done':
      return recordDone(r, outcome.known);
    case 'refused':
      return recordRefused(r, outcome.parts, outcome.problem);
    case 'again':
      return finish(r);
    default:
      return recordPostponed(r, outcome);
  }
}

/** Requests in other processes that wait for a write, where the service may have refused it: what was found may be another one's. */
async function listElsewhere(tx: Db, id: string, outcome: Outcome | Again, now: number) {
  const isFound = outcome.kind === 'done' && outcome.known.ids !== undefined;
  if (!isPostgres(tx) || !(isFound || outcome.kind === 'refused')) return [];
  const which = { resource_id: id, answer: null, until: { '>': storeNow(tx, now) } };
  const waits = await listWhere(tx, 'errands', which, { order: 'version', lock: true });
  return waits.map(({ id: waitId, version, task }) => ({
    waitId,
    version: version ?? 0,
    undo: parseStored<Undo>(task),
  }));
}

/** Reports a change that the service holds now, a resource that became stuck, and the end of a deletion. */
function report(r: Recording, { next, oldestPending }: Recorded): void {
  const { deps, step, outcome, delivered, original, row } = r;
  const { store, clock, events } = deps;
  const { type, id } = original;
  if (delivered !== undefined) {
    const tookMs = Math.max(clock.now() - delivered.at, 0);
    events.changeHeld({ kind: delivered.kind, tookMs });
  }
  if (r.notifies) store.bell.ring('due');
  const isEnd = next === undefined && oldestPending === undefined && r.undone.length === 0;
  const isDeletion = step.row.deleted_at !== null && listWaitingParts(step.state).length > 0;
  if (isDeletion && isEnd) events.deletionFinished({ type, id });
  if (row.stuck_at === null || original.stuck_at !== null) return;
  const problem = outcome.kind === 'refused' ? outcome.problem : row.last_error;
  const code = problem?.code ?? 'unknown';
  events.stuck({ type, id, code });
}

async function recordDone(r: Recording, shown: Known): Promise<Recorded> {
  const { row, step } = r;
  const existence = EXISTENCE[row.type];
  const isUnmade = shown.ids === undefined && isLostLook(r);
  const known: Known = isUnmade ? { done: [existence] } : shown;
  const without = { ...row, sent_creates: step.row.sent_creates };
  if (known.adopted && row.version !== step.state.version) {
    // Whatever has the names that the resource had when its create left may not be the resource.
    r.row = without;
    return finish(r);
  }
  if (known.missing) return recordMissing(r);
  const { columns, obstacle } = await linkRow(r, known);
  if (obstacle?.kind === 'not-ours') return recordDone(r, { done: [existence] });
  if (obstacle?.kind === 'later') return recordPostponed(r, obstacle);
  if (obstacle !== undefined) {
    r.row = without;
    return recordRefused(r, [existence], obstacle.problem);
  }
  succeed(r);
  await applyKnown(r, known);
  // A look is an observation, so that what was refused is tried again.
  if (step.state.mustLook) changeCells(r, (cells) => endRest(cells, r.now, 'refused'));
  r.row = { ...r.row, ...columns };
  await endDoubts(r);
  if (step.state.mustLook) await removeAgain(r);
  return finish(r);
}

/** Has a leaver deactivated once more whom a look does not show to be out after the call. Where no call was made, a plan may hold it. */
async function removeAgain(r: Recording): Promise<void> {
  const { id, type, left_at, version } = r.row;
  if (type === 'group' || left_at === null || !isLeaving(r.row)) return;
  const call = await findRemovalCall(r.tx, { id, from: left_at, until: r.now });
  if (call?.outcome === 'done') changeCells(r, (cells) => askAgain(cells, ['active'], version));
}

/** Notes a step that worked. A look that was asked for since is still to be made; one that worked ends no failure. */
function succeed(r: Recording): void {
  const { row, step, isStale } = r;
  r.row = step.state.mustLook
    ? { ...row, must_look: isStale ? row.must_look : 0 }
    : { ...row, attempts: 0, last_error: null };
}

/** Time in which what was made twice is not made a third time, in milliseconds: the service may show it late. */
const SHOWN_MS = 5 * 60_000;

async function recordMissing(r: Recording): Promise<Recorded> {
  const made = await listCreations(r.tx, { ids: [r.row.id], from: r.now - SHOWN_MS });
  if (made.length > 1) return recordPostponed(r, { kind: 'unknown', problem: BLIND });
  succeed(r);
  if (!(await endMissing(r))) return GONE;
  await endDoubts(r);
  return finish(r);
}

async function recordRefused(
  r: Recording,
  refused: readonly Part[],
  problem: Refusal,
): Promise<Recorded> {
  if (isLostLook(r)) return recordDone(r, {});
  const parts = await listStillPlanned(r, refused);
  const isCreated = parts.length === 0 || (await refuse(r, parts, problem));
  const { tx, row, step, now } = r;
  if (isCreated) {
    // A refused look stays planned, unless nothing waits for the resource itself any more.
    const isAsked = row.cells[EXISTENCE[row.type]]?.pending !== undefined;
    const isNeeded = !step.state.mustLook || isAsked || r.isStale;
    if (!isNeeded) r.row = { ...row, must_look: 0 };
    return finish(r);
  }
  if (row.type === 'group') {
    r.reverted.push(...(await listLinkedUsers(tx, row)));
    await deleteAllLinks(tx, row);
  }
  if (row.sent_creates.length === 0) {
    await deleteRow(tx, row, now);
    return GONE;
  }
  // It is hidden, because a lost create may still arrive.
  r.row = markDeleted({ ...row, must_look: row.must_look + 1 }, now);
  return finish(r);
}

/** Failures after which a run stops trying other parts; each costs a look. */
const GOING_ON_MAX = 5;
/** Rest of an addition that waits for a free seat, in milliseconds; mostly it is tried before. */
export const SEAT_REST_MS = 24 * 3_600_000;
/** Codes of calls that were skipped: a skipped call is no failure. */
const SKIPPED: ReadonlySet<string> = new Set<WritesRefused | 'closed'>([
  'observe-mode',
  'writes-paused',
  'closed',
]);

/** Records a step that is tried again. The run goes on with other parts, or ends until it is time to try again. */
async function recordPostponed(r: Recording, outcome: Postponed): Promise<Recorded> {
  const { deps, isOwn, failures, random } = r;
  const { problem, parts: meant = [] } = outcome;
  const isLater = outcome.kind === 'later';
  if (problem.code === NO_SEAT) {
    await deferParts(r, await listStillPlanned(r, meant), { problem, delayMs: SEAT_REST_MS });
    succeed(r);
    r.row = { ...r.row, failing_since: null };
    return finish(r);
  }
  const parts = isLater && !isOwn ? [] : await listStillPlanned(r, meant);
  const isCounted = isOwn && parts.length > 0;
  const { attemptsMax } = deps.policy;
  const past = parts.map((part) => findFailedPart(part, r.row.cells)?.attempts ?? 0);
  const delayMs = isCounted ? failedDelayMs(Math.min(...past) + 1, attemptsMax, random) : 0;
  const retryAt = await deferParts(r, parts, { problem, delayMs, isOwn, attemptsMax });
  postpone(r, outcome, isCounted ? retryAt : undefined);
  if (isLater) return finish(r, () => false);
  const isNext = (next: PlannedStep) =>
    isCounted && failures <= GOING_ON_MAX && listWaitingParts(next.state).length > 0;
  return finish(r, (next) => outcome.lookNow === true || isNext(next));
}

/** Gives the row the time of the next attempt, its reason, and the look before it. @param retryAt that of the parts that failed */
function postpone(r: Recording, outcome: Postponed, retryAt = Number.POSITIVE_INFINITY): void {
  const { row, isRetried, now, random } = r;
  const { problem } = outcome;
  // It is not taken before changes are sent again.
  if (SKIPPED.has(problem.code)) {
    r.row = { ...row, due_at: now, due_class: row.due_class === 2 ? 1 : row.due_class };
    return;
  }
  const attempts = row.attempts + 1;
  const isLater = outcome.kind === 'later';
  const delayMs = backoffMs(attempts, isLater ? outcome.retryAfterMs : undefined, random);
  const usual = isRetried ? now : now + delayMs;
  r.row = {
    ...row,
    attempts,
    failing_since: row.failing_since ?? now,
    must_look: isLater ? row.must_look : Math.max(row.must_look, 1),
    // The reason why it is stuck is shown until it is not: a pause of the service comes and goes.
    last_error: (row.stuck_at === null ? null : row.last_error) ?? problem,
    due_at: isLater && Number.isFinite(retryAt) ? retryAt : Math.min(usual, retryAt),
  };
}
