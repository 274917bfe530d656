import type { Cells, Fact } from '../../domain/cell.ts';
import { done, edit, hasDoubt, isWaiting, listWaiting } from '../../domain/cell.ts';
import { endEntities } from '../../domain/entity.ts';
import {
  countAttempts,
  deferForSeat,
  fail,
  findNextRetryAt,
  findProblem,
} from '../../domain/failure.ts';
import { isWorking } from '../../domain/kinds.ts';
import { removesAccess } from '../../domain/protection.ts';
import type { Refusal, UserId } from '../../domain/values.ts';
import type { Field, Part } from '../../plan/step.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import type { AskedChange, Progress } from '../../store/due.ts';
import { toProgress } from '../../store/due.ts';
import { toCellColumns } from '../../store/engine/columns.ts';
import { changeNamed, deleteAllLinks } from '../../store/links/links.ts';
import { leaveGroups } from '../../store/links/of-users.ts';
import type { WaitingSummary } from '../../store/links/waiting.ts';
import { hasLink, readWaiting } from '../../store/links/waiting.ts';
import { retryNextForSeat } from '../../store/resources/backlog.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { saveRow } from '../../store/resources/rows.ts';
import { isLinked, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { WritesRefused } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Again, Outcome, Postponed } from '../outcome.ts';
import { backoffMs, failedDelayMs } from '../outcome.ts';
import { listWaitingParts } from '../step-call.ts';
import type { Undone, Waiter } from '../waiters.ts';
import type { PlannedStep } from './step.ts';
import { listDone, listStillPlanned, planStep, readLinks } from './step.ts';

/** A step that ended, while its transaction records it. */
export interface Recording {
  readonly tx: Db;
  readonly deps: ReconcileDeps;
  readonly step: PlannedStep;
  readonly outcome: Outcome | Again;
  /** False if the failure may be an outage of the service. */
  readonly isOwn: boolean;
  /** Number of steps of this run that have failed. */
  readonly failures: number;
  /** Writes that are not answered yet; refused ones are undone. */
  readonly waiters: readonly Waiter[];
  readonly original: ResourceRow;
  row: ResourceRow;
  /** True when another look was asked for since the plan: what the step has shown may be over. */
  readonly isStale: boolean;
  /** True when an attempt was asked for meanwhile: the next one does not wait. */
  readonly isRetried: boolean;
  readonly undone: Undone[];
  /** Change of a provider that the service holds now. */
  delivered?: AskedChange;
  /** Users whose changes in a group were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
  /** True when others are due now. */
  notifies: boolean;
  readonly now: number;
  readonly random: number;
}

/** End of a run, or its next step. */
export interface Recorded extends Progress {
  /** The next step of the same run; absent: the run is over. */
  readonly next?: PlannedStep;
  /** Time of the next attempt of a run that is over (epoch milliseconds); null: nothing is to be done. */
  readonly retryAt?: number | null;
}

/** Notes a step that worked. A look that was asked for since is still to be made; one that worked ends no failure. */
export function succeed(r: Recording): void {
  const { row, step, isStale } = r;
  r.row = step.state.mustLook
    ? { ...row, must_look: isStale ? row.must_look : 0 }
    : { ...row, attempts: 0, last_error: null };
}

/**
 * Plans again from the new state: ends the waiting of what holds, and the run unless there is a next step.
 * @param goesOn false where the run pauses before that step, until the time that the row has
 */
export async function finish(
  r: Recording,
  goesOn: (next: PlannedStep) => boolean = () => true,
): Promise<Recorded> {
  const { tx, deps, row, now } = r;
  const waitingLinks = await readLinks(tx, deps, row);
  const asked = row.cells;
  // A deferred change may hold by now, and then nothing else waits for it.
  const open = done(asked, asked, listDone(deps, row, waitingLinks));
  const cells = endEntities(open, row.entities ?? undefined);
  // A next step is due now. Another time in the store, once that has ended, shows that an attempt was asked for.
  const left = await withoutDoubt(tx, { ...row, cells, due_at: now });
  const step = planStep(deps, { row: left, links: waitingLinks });
  const isPaused = !goesOn(step);
  const isOver = isPaused || step.action === undefined;
  const links = row.type === 'user' ? undefined : await readWaiting(tx, row, now);
  r.row = { ...left, ...toCellColumns(cells, links?.stuckSince) };
  if (isPaused) r.row = { ...r.row, due_at: row.due_at };
  else {
    const times = [findNextRetryAt(cells, now), links?.nextRetryAt, left.unsure_until];
    r.row = {
      ...r.row,
      ...toFailureColumns(r, cells, links),
      due_class: links?.desired === 0 || removesAccess(step.state) ? 0 : 1,
      due_at: isOver ? findNext(times, now) : now,
    };
  }
  const progress = toProgress(r.row, links?.oldest);
  if (isOver) takeDelivered(r, progress);
  await save(r);
  if (!isOver) return { ...progress, next: step };
  if (!isPaused && isOut(r)) await leave(r);
  return { ...progress, retryAt: r.row.due_at };
}

/** The first of these times after `now`; null: there is none. */
function findNext(times: readonly (number | null | undefined)[], now: number): number | null {
  const next = Math.min(...times.flatMap((at) => (at != null && at > now ? at : [])));
  return Number.isFinite(next) ? next : null;
}

/** Takes the remembered change of a provider out of the row once it waits no more. */
function takeDelivered(r: Recording, { oldestPending }: Progress): void {
  const { row } = r;
  const { asked_kind: kind, asked_at: at, asked_version: version } = row;
  if (kind === null || at === null || version === null) return;
  const isAccess = kind === 'leaver' || kind === 'joiner';
  // Access counts although another part of the request waits.
  if (isAccess ? isAccessOpen(row, kind) : version >= (oldestPending ?? Infinity)) return;
  if (!r.undone.some((one) => one.version === version)) r.delivered = { kind, at, version };
  r.row =
    isAccess || oldestPending === undefined
      ? { ...row, asked_kind: null }
      : { ...row, asked_at: row.modified_at, asked_version: oldestPending };
}

/** True while a change of access waits, or somebody who is to be out was last seen to work, whatever keeps the change back. */
function isAccessOpen(row: ResourceRow, kind: 'leaver' | 'joiner'): boolean {
  if (row.type === 'group') return false;
  const { cells, observed, deleted } = toUserState(row);
  if (isWaiting(cells.active) || isWaiting(cells.account)) return true;
  const isToBeOut = kind === 'leaver' && row.origin !== null && (row.active === 0 || deleted);
  return isToBeOut && observed?.active === true && observed.temporarilyInactive !== true;
}

/** Columns of the trouble of what waits, with its own reason: failing changes have failed for some time. */
function toFailureColumns(
  { row, now }: Recording,
  cells: Cells<Field>,
  links: WaitingSummary | undefined,
) {
  if (listWaiting(cells).length === 0 && links?.oldest == null)
    return { attempts: 0, failing_since: null, last_error: null };
  const attempts = Math.max(row.attempts, countAttempts(cells), links?.attempts ?? 0);
  const own = findProblem(cells);
  const problem = (links?.stuckSince == null && own) || links?.failure?.problem;
  return {
    attempts,
    failing_since: attempts === 0 ? null : (row.failing_since ?? now),
    last_error: problem ?? row.last_error,
  };
}

/** The row, in doubt only while a call that left may still change something from what is wanted. */
async function withoutDoubt(tx: Db, row: ResourceRow): Promise<ResourceRow> {
  if (row.unsure_until === null || row.sent_creates.length > 0) return row;
  if (hasDoubt(row.cells) || (row.type === 'group' && (await hasLink(tx, row, 'doubted')))) {
    return row;
  }
  return { ...row, unsure_until: null };
}

/** True once a deleted resource is out of the service. A plan may hold its deactivation. */
function isOut({ deps, row }: Recording): boolean {
  if (row.deleted_at === null) return false;
  // A deleted group that the service does not know has no members.
  if (row.type === 'group' || row.upstream_id === null) return !isLinked(row);
  const { observed, cells } = toUserState(row);
  if (observed === undefined || isWaiting(cells.active)) return true;
  return !isWorking(observed, deps.policy.deactivation);
}

/** Has others follow that the deleted resource has nothing left to do. */
async function leave(r: Recording): Promise<void> {
  const { tx, row, now } = r;
  if (row.type === 'group') return deleteAllLinks(tx, row);
  const groups = await leaveGroups(tx, row.id, now);
  if (groups.length > 0) r.notifies = true;
}

/** Time from a refusal for lack of seats to the next attempt, whoever that is for: others may free a seat meanwhile. */
const SEAT_RETRY_MS = 15 * 60_000;

/** Stores the row, and has the next who wait for a seat tried: now where one is free, later after a refusal. */
async function save({ tx, outcome, original, row, now }: Recording): Promise<void> {
  await saveRow(tx, original, row);
  if (row.type === 'group') return;
  if (outcome.kind === 'later' && outcome.noSeat) return retryNextForSeat(tx, now + SEAT_RETRY_MS);
  const isFreed = original.takes_seat > row.takes_seat;
  const waitsNoMore = original.seat_since !== null && row.seat_since === null;
  if (isFreed || waitsNoMore) await retryNextForSeat(tx, now);
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
export async function recordPostponed(r: Recording, outcome: Postponed): Promise<Recorded> {
  const { step, isOwn, isRetried, failures, now } = r;
  const { problem } = outcome;
  if (outcome.kind === 'later' && outcome.noSeat !== undefined) {
    const wait = { problem, now, retryAt: isRetried ? now : now + SEAT_REST_MS };
    const parts = await listStillPlanned(r, outcome.noSeat);
    await changeFacts(r, parts, (fact) => deferForSeat(fact, wait));
    succeed(r);
    r.row = { ...r.row, failing_since: null };
    return finish(r);
  }
  // A failed look counts as an attempt at all that waits for it.
  const awaiting =
    outcome.kind === 'later' && outcome.failedLook && isOwn ? listWaitingParts(step.state) : [];
  const failed = outcome.kind === 'unknown' ? outcome.parts : awaiting;
  const times = await countParts(r, failed ?? [], problem);
  const isCounted = isOwn && times.length > 0;
  postpone(r, outcome, isCounted ? Math.min(...times) : undefined);
  if (outcome.kind === 'later') return finish(r, () => false);
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

/** Changes the fields of the row. */
export function changeCells(
  r: Pick<Recording, 'row'>,
  change: (cells: Cells<Field>) => Cells<Field>,
): void {
  r.row = { ...r.row, cells: change(r.row.cells) };
}

/** Changes what is known of these parts: of fields in the row, of members and admins in the store. */
export async function changeFacts(
  r: Pick<Recording, 'tx' | 'row'>,
  parts: readonly Part[],
  change: <F extends Fact>(fact: F, part: Part) => F,
): Promise<void> {
  await changeNamed(r.tx, r.row, listLinks(parts), change);
  changeCells(r, (cells) => edit(cells, listFields(parts), change));
}

/** Counts an attempt at each part that still is as planned, and returns the times of the next ones (epoch milliseconds). */
async function countParts(
  r: Recording,
  failed: readonly Part[],
  problem: Refusal,
): Promise<number[]> {
  const { deps, isOwn, isRetried, now, random } = r;
  const { attemptsMax } = deps.policy;
  const parts = await listStillPlanned(r, failed);
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const delayMs = isOwn && !isRetried ? failedDelayMs(attempts, attemptsMax, random) : 0;
    times.push(now + delayMs);
    return now + delayMs;
  };
  await changeFacts(r, parts, (fact) =>
    fail(fact, { isOwn, toRetryAt, problem, attemptsMax, now }),
  );
  return times;
}
