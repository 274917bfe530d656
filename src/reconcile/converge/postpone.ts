import { listWaiting } from '../../domain/cell.ts';
import { deferForSeat, exhaust, fail } from '../../domain/failure.ts';
import { failLink } from '../../domain/link.ts';
import { normaliseName } from '../../domain/name.ts';
import { type Field, listFields, listLinks, type Part } from '../../plan/step.ts';
import { parseCells, toCellColumns } from '../../store/engine/columns.ts';
import { changeNamed } from '../../store/links/links.ts';
import type { WritesRefused } from '../../upstream/transport.ts';
import { backoffMs, failedDelayMs } from '../backoff.ts';
import type { Postponed, Problem } from '../outcome.ts';
import { toProgress } from '../waiters.ts';
import {
  finish,
  type Recorded,
  type Recording,
  readExhausted,
  readSummary,
  save,
  toSuccessColumns,
} from './recording.ts';
import { listStillPlanned } from './refuse.ts';
import { hasWork, type PlannedStep, planStep, readLinks } from './step.ts';

/** Failures after which a run stops trying other parts; each costs a look. */
const GOING_ON_MAX = 5;
/** Rest of an addition that waits for a free seat, in milliseconds; mostly it is tried before. */
const SEAT_REST_MS = 24 * 3_600_000;

/** Records a step that is tried again. The run goes on with other parts, or ends until it is time to try again. */
export async function recordPostponed(r: Recording, outcome: Postponed): Promise<Recorded> {
  if (outcome.kind === 'later' && outcome.noSeat) {
    return recordSeatWait(r, outcome.noSeat, outcome.problem);
  }
  postpone(r, outcome);
  const goesOn = await countFailed(r, outcome);
  await save(r);
  const { oldest } = await readSummary(r);
  const end = toProgress(r.row, oldest);
  if (goesOn || (outcome.kind === 'unknown' && outcome.lookNow)) {
    return { ...end, next: await planNext(r) };
  }
  return { ...end, retryAt: r.row.due_at ?? r.now };
}

async function planNext({ tx, deps, row }: Recording): Promise<PlannedStep> {
  return planStep(deps, { row, links: await readLinks(tx, deps, row) });
}

/** Codes of calls that were held back: that is no failure. */
const HELD_BACK: ReadonlySet<string> = new Set<WritesRefused | 'closed'>([
  'observe-mode',
  'writes-paused',
  'closed',
]);

/** Gives the row the time of the next attempt, its reason, and the look before it. */
function postpone(r: Recording, outcome: Postponed): void {
  const { row, isRetried, now, random } = r;
  const { problem } = outcome;
  // It is not taken before changes are sent again.
  if (HELD_BACK.has(problem.code)) {
    r.row = { ...row, due_at: now, due_class: row.due_class === 2 ? 1 : row.due_class };
    return;
  }
  const attempts = row.attempts + 1;
  const retryAfterMs = outcome.kind === 'later' ? outcome.retryAfterMs : undefined;
  const isNow = isRetried || (outcome.kind === 'unknown' && outcome.lookNow === true);
  r.row = {
    ...row,
    attempts,
    failing_since: row.failing_since ?? now,
    must_look: outcome.kind === 'unknown' ? Math.max(row.must_look, 1) : row.must_look,
    // The reason why it is stuck is shown until it is not: a pause of the service comes and goes.
    last_error: (row.stuck_at === null ? null : row.last_error) ?? JSON.stringify(problem),
    due_at: now + (isNow ? 0 : backoffMs(attempts, retryAfterMs, random)),
  };
}

/** Records additions that wait for a free seat. What else waits for the user goes on, removals above all. */
async function recordSeatWait(
  r: Recording,
  parts: readonly Part[],
  problem: Problem,
): Promise<Recorded> {
  const { row, now } = r;
  const fields = listFields(await listStillPlanned(r, parts));
  const wait = { fields, problem, now, retryAt: now + SEAT_REST_MS };
  const cells = toCellColumns(deferForSeat(parseCells<Field>(row), wait));
  r.row = { ...row, ...cells, ...toSuccessColumns(r), failing_since: null };
  return finish(r);
}

/**
 * Counts an attempt at the failed parts: those of the call, or all that wait for a look that failed by its own fault. A
 * part that failed by its own fault waits by itself, and the run goes on with the others: true. While the service may be
 * out, the whole resource waits, and begins with the other parts.
 */
async function countFailed(r: Recording, outcome: Postponed): Promise<boolean> {
  const { deps, step, isOwn, failures, now } = r;
  const { state } = step;
  const isLook = outcome.kind === 'later';
  const awaiting = [...listWaiting<Field>(state.cells), ...('links' in state ? state.links : [])];
  const failed = isLook ? (outcome.failedLook && isOwn ? awaiting : []) : (outcome.parts ?? []);
  const times = await countParts(r, failed, outcome.problem);
  if (times.length === 0) return false;
  const retryAt = Math.min(...times);
  if (isLook) {
    // No step follows that would find them exhausted.
    const { stuck } = await readExhausted(r);
    const cells = exhaust(parseCells<Field>(r.row), deps.policy.attemptsMax, now);
    r.row = { ...r.row, ...toCellColumns(cells, stuck), due_at: retryAt };
    return false;
  }
  if (!isOwn) return false;
  if (hasWork(await planNext(r))) return failures <= GOING_ON_MAX;
  r.row = { ...r.row, due_at: Math.min(r.row.due_at ?? now, retryAt) };
  return false;
}

/**
 * Counts an attempt at each part that still is as planned. Returns the times of the next attempts (epoch milliseconds);
 * none when later writes have changed all parts.
 */
async function countParts(
  r: Recording,
  failed: readonly Part[],
  problem: Problem,
): Promise<number[]> {
  const { tx, deps, row, step, isOwn, isRetried, now, random } = r;
  const parts = await listStillPlanned(r, failed);
  const isDelayed = isOwn && !isRetried;
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const delayMs = isDelayed ? failedDelayMs(attempts, deps.policy.attemptsMax, random) : 0;
    times.push(now + delayMs);
    return now + delayMs;
  };
  const failing = { isOwn, toRetryAt, problem };
  await changeNamed(tx, row, listLinks(parts), (link, { attempts }) =>
    failLink(link, { ...failing, attempts }),
  );
  const failure = { ...failing, fields: listFields(parts), held: toHeldNames(step) };
  r.row = { ...row, cells: JSON.stringify(fail(parseCells<Field>(row), failure)) };
  return times;
}

/** Names that the service held when the step was planned, where they tell whether it made a change. */
function toHeldNames({ type, state }: PlannedStep): { readonly [F in Field]?: string } {
  if (state.observed === undefined) return {};
  return type === 'user'
    ? { name: normaliseName(state.observed.fullName) }
    : { displayName: normaliseName(state.observed.displayName) };
}
