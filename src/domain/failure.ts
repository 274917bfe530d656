import { type Cell, type Cells, edit, editAll, type Fact, type Failure } from './cell.ts';
import { normaliseName } from './name.ts';
import { parseFields, type Refusal, withEarlierWords } from './values.ts';

/** Failed attempts, looks included, after which a removal of access is sent without a look: repeating it does no harm. */
export const ATTEMPTS_WITH_LOOK = 3;

/** Deferral of a change: the reason, and the time of the next attempt. */
export interface Deferral {
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/** Gives what waits a failure of its write. */
function withFailure<F extends Fact>(
  fact: F,
  toFailure: (known: Failure | undefined, version: number) => Omit<Failure, 'version'>,
): F {
  const { pending: version, failure } = fact;
  if (version === undefined) return fact;
  return { ...fact, failure: { version, ...toFailure(failure, version) } };
}

/** Defers what waits: the service refused it. What was stuck before keeps its start. */
export const refuse = <F extends Fact>(fact: F, { problem, now, retryAt }: Deferral): F =>
  withFailure(fact, (known) => ({ since: known?.since ?? now, retryAt, problem }));

/** Defers what waits until there is a free seat. What waited for one before keeps its start. */
export const deferForSeat = <F extends Fact>(fact: F, { problem, now, retryAt }: Deferral): F =>
  withFailure(fact, (known) => {
    return { since: null, retryAt, problem, seatSince: known?.seatSince ?? now };
  });

/** Consequences of one more failed attempt. */
export interface Failing {
  readonly problem: Refusal;
  /** False: it may be the fault of the service, so it counts where it is the first, to be tried after what did not fail. */
  readonly isOwn: boolean;
  /** Time of the next attempt (epoch milliseconds), by the number of failures. */
  readonly toRetryAt: (attempts: number) => number;
}

/** Counts one more failed attempt at what waits; a write that is new is counted anew. @param seen the value of before */
export const fail = <F extends Fact>(
  fact: F,
  { problem, isOwn, toRetryAt, seen }: Failing & { readonly seen?: string | undefined },
): F =>
  withFailure(fact, (known, version) => {
    const same = known?.version === version ? known : undefined;
    const past = same?.attempts ?? 0;
    const attempts = isOwn ? past + 1 : Math.max(past, 1);
    const [since, retryAt] = [known?.since ?? null, toRetryAt(attempts)];
    const before = same?.before ?? seen;
    return { since, retryAt, problem, attempts, ...(before !== undefined && { before }) };
  });

const editFailures = <F extends string>(cells: Cells<F>, toNext: (failure: Failure) => Failure) =>
  editAll(cells, (cell) => ({ ...cell, failure: cell.failure && toNext(cell.failure) }));

/** Marks fields that failed `attemptsMax` times as stuck, since `now` where they were not before. */
export const exhaust = <F extends string>(cells: Cells<F>, attemptsMax: number, now: number) =>
  editFailures(cells, (failure) => {
    const isOver = failure.since === null && (failure.attempts ?? 0) >= attemptsMax;
    return isOver ? { ...failure, since: now } : failure;
  });

/** Ends the deferral of refused fields after an observation, of those that wait for a seat, or of all. */
export const endRest = <F extends string>(
  cells: Cells<F>,
  now: number,
  which: 'refused' | 'seat' | 'all',
) =>
  editFailures(cells, (failure) => {
    const { seatSince, attempts } = failure;
    const kind = seatSince !== undefined ? 'seat' : attempts === undefined ? 'refused' : 'failed';
    const isMeant = which === 'all' || which === kind;
    return isMeant ? { ...failure, retryAt: Math.min(failure.retryAt, now) } : failure;
  });

const listFailures = <F extends string>(cells: Cells<F>) =>
  parseFields(cells).flatMap((field) => {
    const failure = cells[field]?.failure;
    return failure === undefined ? [] : [[field, failure] as const];
  });

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

/** Finds the next attempt at a failed field (epoch milliseconds); undefined: there is none. */
export function findNextRetryAt(cells: Cells<string>, now: number): number | undefined {
  return findLeast(listDeferred(cells, now).map(([, { retryAt }]) => retryAt));
}

/** Finds since when a field waits for a free seat (epoch milliseconds); undefined: none does. */
export function findSeatSince(cells: Cells<string>): number | undefined {
  return findLeast(listFailures(cells).flatMap(([, { seatSince }]) => seatSince ?? []));
}

function findLeast(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Failure of this very write by its own fault, which is tried alone; undefined: it did not fail, or was refused. */
export function findFailed(cell: Cell | undefined): Failure | undefined {
  const failure = cell?.failure;
  const isOfWrite = failure?.attempts !== undefined && failure.version === cell?.pending;
  return isOfWrite ? failure : undefined;
}

/** Counts the failures of the change that failed most often. */
export function countAttempts(cells: Cells<string>): number {
  const failed = parseFields(cells).map((field) => findFailed(cells[field])?.attempts ?? 0);
  return Math.max(0, ...failed);
}

type StuckFailure = Failure & { readonly since: number };

/** True for the failure of a field that is stuck; false for one that is tried again soon. */
export function isStuck(failure: Failure | undefined): failure is StuckFailure {
  return failure !== undefined && failure.since !== null;
}

/** Lists the stuck fields with their failures. */
export const listStuck = <F extends string>(cells: Cells<F>) =>
  listFailures(cells).flatMap(([field, failure]) =>
    isStuck(failure) ? [[field, failure] as const] : [],
  );

/** Finds the failure of the field that is stuck longest; undefined: none is. */
export function findOldestStuck(cells: Cells<string>): StuckFailure | undefined {
  const all = listStuck(cells).map(([, failure]) => failure);
  return all.toSorted((a, b) => a.since - b.since)[0];
}

/** Finds the problem of the field that is stuck longest, or else of one that failed. */
export function findProblem(cells: Cells<string>): Refusal | undefined {
  return (findOldestStuck(cells) ?? listFailures(cells)[0]?.[1])?.problem;
}

/** Adds to a refusal of a new write of these fields the service's words about earlier ones that are stuck. */
export function withEarlierRefusals<Field extends string, P extends Refusal>(
  problem: P,
  cells: Cells<Field>,
  fields: readonly Field[],
): P {
  const stuck = listStuck(cells).filter(([field]) => fields.includes(field));
  const words = stuck.map(([, failure]) => failure.problem.words);
  return withEarlierWords(problem, words);
}

/** A name as it was sent, as it came back, and as the service had it when the attempt was planned. */
interface SentName {
  readonly sent: string;
  readonly back: string;
  readonly before: string | undefined;
  readonly isSame: (a: string, b: string) => boolean;
}

/** True if the service still holds the name of before the first attempt, and not just another spelling. */
export function isNameKept(
  cell: Cell | undefined,
  { sent, back, before, isSame }: SentName,
): boolean {
  const name = normaliseName(back);
  const first = findFailed(cell)?.before ?? (before === undefined ? before : normaliseName(before));
  return name === first && !isSame(name, sent);
}
