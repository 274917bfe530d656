import type { Cells, Fact, Failure } from './cell.ts';
import { edit } from './cell.ts';
import { NO_SEAT } from './seats.ts';
import type { Refusal } from './values.ts';
import { parseFields } from './values.ts';

/** Failed attempts, looks included, after which a removal of access is sent without a look: repeating it does no harm. */
export const ATTEMPTS_WITH_LOOK = 3;

/** Why a change is deferred. */
interface Deferral {
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Time of the next attempt (epoch milliseconds). */
  readonly retryAt: number;
  /** Failed attempts after which it is stuck; absent: the service refused it, or it waits for a free seat. */
  readonly attemptsMax?: number;
  /** False: it may be the fault of the service, so it counts where it is the first, to be tried after what did not fail. */
  readonly isOwn?: boolean;
}

/** Defers what waits. What was stuck or waited for a seat before keeps its start; attempts at a new write are counted anew. */
export function defer<F extends Fact>(fact: F, deferral: Deferral): F {
  const { pending: version, failure: known } = fact;
  if (version === undefined) return fact;
  const { problem, now, retryAt, attemptsMax, isOwn = true } = deferral;
  const failure = { version, since: known?.since ?? now, retryAt, problem };
  if (problem.code === NO_SEAT)
    return { ...fact, failure: { ...failure, since: null, seatSince: known?.seatSince ?? now } };
  if (attemptsMax === undefined) return { ...fact, failure };
  const past = (known?.version === version && known.attempts) || 0;
  const attempts = isOwn ? past + 1 : Math.max(past, 1);
  const isStuck = isOwn && attempts >= attemptsMax;
  const since = known?.since ?? (isStuck ? now : null);
  return { ...fact, failure: { ...failure, since, attempts } };
}

/** Ends the deferral of refused fields after an observation, of those that wait for a seat, or of all. */
export const endRest = <F extends string>(
  cells: Cells<F>,
  now: number,
  which: 'refused' | 'seat' | 'all',
) =>
  edit(cells, parseFields(cells), ({ failure, ...cell }) => {
    if (failure === undefined) return cell;
    const { seatSince, attempts } = failure;
    const kind = seatSince !== undefined ? 'seat' : attempts === undefined ? 'refused' : 'failed';
    const isMeant = which === 'all' || which === kind;
    const retryAt = isMeant ? Math.min(failure.retryAt, now) : failure.retryAt;
    return { ...cell, failure: { ...failure, retryAt } };
  });

const NEVER = Number.POSITIVE_INFINITY;

/** The failures of fields, the longest stuck first, and then those that are tried again soon. */
const listFailures = <F extends string>(cells: Cells<F>) =>
  parseFields(cells)
    .flatMap((field) => {
      const failure = cells[field]?.failure;
      return failure === undefined ? [] : [[field, failure] as const];
    })
    .toSorted(([, one], [, other]) => (one.since ?? NEVER) - (other.since ?? NEVER));

/** Lists the fields that rest until their time: a field that was written since its failure does not. */
const listDeferred = <F extends string>(cells: Cells<F>, now: number) =>
  listFailures(cells).filter(
    ([field, { version, retryAt }]) => version === cells[field]?.pending && retryAt > now,
  );

/** The cells of a plan: a field before its next attempt is as if it did not wait. */
export function withoutDeferred<F extends string>(cells: Cells<F>, now: number): Cells<F> {
  const fields = listDeferred(cells, now).map(([field]) => field);
  return edit(cells, fields, (cell) => ({ ...cell, pending: undefined }));
}

/** Finds the earliest of some times; undefined: there is none. */
export const findLeast = (times: readonly number[]) =>
  times.length > 0 ? Math.min(...times) : undefined;

/** Finds the next attempt at a failed field (epoch milliseconds); undefined: there is none. */
export const findNextRetryAt = (cells: Cells<string>, now: number) =>
  findLeast(listDeferred(cells, now).map(([, { retryAt }]) => retryAt));

/** Finds since when a field waits for a free seat (epoch milliseconds); undefined: none does. */
export const findSeatSince = (cells: Cells<string>) =>
  findLeast(listFailures(cells).flatMap(([, { seatSince }]) => seatSince ?? []));

/** Failure of this very write by its own fault, which is tried alone; undefined: it did not fail, or was refused. */
export function findFailed(fact: Fact | undefined): Failure | undefined {
  const failure = fact?.failure;
  const isOfWrite = failure?.attempts !== undefined && failure.version === fact?.pending;
  return isOfWrite ? failure : undefined;
}

/** Counts the failures of the change that failed most often. */
export const countAttempts = (cells: Cells<string>) =>
  Math.max(0, ...parseFields(cells).map((field) => findFailed(cells[field])?.attempts ?? 0));

/** True for the failure of a field that is stuck; false for one that is tried again soon. */
export const isStuck = (
  failure: Failure | undefined,
): failure is Failure & { readonly since: number } =>
  failure !== undefined && failure.since !== null;

/** Lists the stuck fields with their failures, the longest stuck first. */
export const listStuck = <F extends string>(cells: Cells<F>) =>
  listFailures(cells).flatMap(([field, failure]) =>
    isStuck(failure) ? [[field, failure] as const] : [],
  );

/** Finds the problem of the field that is stuck longest, or else of one that failed. */
export const findProblem = (cells: Cells<string>) => listFailures(cells)[0]?.[1].problem;
