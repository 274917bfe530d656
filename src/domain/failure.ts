import { type Cell, type Cells, edit, editAll, type Failure, parseFields } from './cell.ts';
import { normaliseName } from './name.ts';
import { type Refusal, withEarlierWords } from './refusal.ts';

/** Failed attempts, looks included, after which a removal of access is sent without a look: repeating it does no harm. */
export const ATTEMPTS_WITH_LOOK = 3;

/** Deferral of fields: the reason, and the time of the next attempt. */
export interface Deferral {
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/** Gives each of these fields that waits a failure. */
function editWaiting<Field extends string>(
  cells: Cells<Field>,
  fields: readonly Field[],
  toFailure: (version: number, known: Failure | undefined, field: Field) => Failure,
): Cells<Field> {
  return edit(cells, fields, (cell, field) => {
    const { pending: version, failure } = cell;
    return version === undefined ? cell : { ...cell, failure: toFailure(version, failure, field) };
  });
}

/** Defers those of these fields that wait: the service refused them. A field that was stuck before keeps its start. */
export function defer<Field extends string>(
  cells: Cells<Field>,
  { fields, problem, now, retryAt }: Deferral & { readonly fields: readonly Field[] },
): Cells<Field> {
  return editWaiting(cells, fields, (version, known) => {
    return { version, since: known?.since ?? now, retryAt, problem };
  });
}

/** Defers those of these fields that wait until there is a free seat. One that waited before keeps its start. */
export function deferForSeat<Field extends string>(
  cells: Cells<Field>,
  { fields, problem, now, retryAt }: Deferral & { readonly fields: readonly Field[] },
): Cells<Field> {
  return editWaiting(cells, fields, (version, known) => {
    return { version, since: null, retryAt, problem, seatSince: known?.seatSince ?? now };
  });
}

/** Finds since when a field waits for a free seat (epoch milliseconds); undefined: none does. */
export function findSeatSince(cells: Cells<string>): number | undefined {
  const all = parseFields(cells).flatMap((field) => cells[field]?.failure?.seatSince ?? []);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** Consequences of one more failed attempt. */
export interface Failing {
  /** False: it may be the fault of the service, so it counts where it is the first, to be tried after what did not fail. */
  readonly isOwn: boolean;
  /** Time of the next attempt (epoch milliseconds), by the number of failures. */
  readonly toRetryAt: (attempts: number) => number;
}

/** Counts the failures of a change that failed `before` times and now once more. */
export function addAttempt(before: number, { isOwn }: Pick<Failing, 'isOwn'>): number {
  return isOwn ? before + 1 : Math.max(before, 1);
}

/** One more attempt at fields that failed. */
export interface FailedAttempt<Field extends string> extends Failing {
  readonly fields: readonly Field[];
  readonly problem: Refusal;
  /** Value that the service held when the attempt was planned. */
  readonly held: { readonly [F in Field]?: string };
}

/** Counts one more failed attempt at those of these fields that wait; a write that is new is counted anew. */
export function fail<Field extends string>(
  cells: Cells<Field>,
  { fields, problem, held, ...failing }: FailedAttempt<Field>,
): Cells<Field> {
  return editWaiting(cells, fields, (version, known, field) => {
    const same = known?.version === version ? known : undefined;
    const attempts = addAttempt(same?.attempts ?? 0, failing);
    const before = same?.before ?? held[field];
    return {
      version,
      since: known?.since ?? null,
      retryAt: failing.toRetryAt(attempts),
      problem,
      attempts,
      ...(before === undefined ? {} : { before }),
    };
  });
}

/** Marks fields that failed `attemptsMax` times as stuck, since `now` where they were not before. */
export function exhaust<Field extends string>(
  cells: Cells<Field>,
  attemptsMax: number,
  now: number,
): Cells<Field> {
  return editFailures(cells, (failure) => {
    const isOver = failure.since === null && (failure.attempts ?? 0) >= attemptsMax;
    return isOver ? { ...failure, since: now } : failure;
  });
}

/**
 * Ends the deferral of refused fields, because the service was observed anew, which frees no seat; of those that wait for
 * a free seat, because there may be one; or of all that an operator wants tried now.
 */
export function endRest<Field extends string>(
  cells: Cells<Field>,
  now: number,
  which: 'refused' | 'seat' | 'all',
): Cells<Field> {
  function isMeant(failure: Failure): boolean {
    const isSeat = failure.seatSince !== undefined;
    if (which === 'seat') return isSeat;
    return which === 'all' || (failure.attempts === undefined && !isSeat);
  }
  return editFailures(cells, (failure) =>
    isMeant(failure) ? { ...failure, retryAt: Math.min(failure.retryAt, now) } : failure,
  );
}

const editFailures = <F extends string>(cells: Cells<F>, toNext: (failure: Failure) => Failure) =>
  editAll(cells, (cell) => ({ ...cell, failure: cell.failure && toNext(cell.failure) }));

/** Lists the fields that rest until their time: a field that was written since its failure does not. */
function listDeferred<Field extends string>(cells: Cells<Field>, now: number): Field[] {
  return parseFields(cells).filter((field) => {
    const { pending, failure } = cells[field] ?? {};
    return failure !== undefined && failure.version === pending && failure.retryAt > now;
  });
}

/** The cells of a plan: a field before its next attempt is as if it did not wait. */
export const withoutDeferred = <F extends string>(cells: Cells<F>, now: number) =>
  edit(cells, listDeferred(cells, now), (cell) => ({ ...cell, pending: undefined }));

/** Finds the next attempt at a failed field (epoch milliseconds); undefined: there is none. */
export function findNextRetryAt<Field extends string>(
  cells: Cells<Field>,
  now: number,
): number | undefined {
  const times = listDeferred(cells, now).map((field) => cells[field]?.failure?.retryAt ?? now);
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

/** Failure of a field that is stuck. */
export type StuckFailure = Failure & { readonly since: number };

/** True for the failure of a field that is stuck; false for one that is tried again soon. */
export function isStuck(failure: Failure | undefined): failure is StuckFailure {
  return failure !== undefined && failure.since !== null;
}

/** Lists the stuck fields with their failures. */
export function listStuck<Field extends string>(
  cells: Cells<Field>,
): (readonly [Field, StuckFailure])[] {
  return parseFields(cells).flatMap((field) => {
    const failure = cells[field]?.failure;
    return isStuck(failure) ? [[field, failure] as const] : [];
  });
}

/** Finds the failure of the field that is stuck longest; undefined: none is. */
export function findOldestStuck(cells: Cells<string>): StuckFailure | undefined {
  const all = parseFields(cells).map((field) => cells[field]?.failure);
  return all.filter(isStuck).toSorted((a, b) => a.since - b.since)[0];
}

/** Finds the problem of the field that is stuck longest, or else of one that failed. */
export function findProblem(cells: Cells<string>): Refusal | undefined {
  const failed = parseFields(cells).flatMap((field) => cells[field]?.failure ?? []);
  return (findOldestStuck(cells) ?? failed[0])?.problem;
}

/** Adds to a refusal of a new write of these fields the service's words about earlier ones that are stuck. */
export function withEarlierRefusals<Field extends string, P extends Refusal>(
  problem: P,
  cells: Cells<Field>,
  fields: readonly Field[],
): P {
  const stuck = listStuck(cells).filter(([field]) => fields.includes(field));
  return withEarlierWords(
    problem,
    stuck.map(([, failure]) => failure.problem.words),
  );
}

/**
 * True when the service still holds the name that it held before this write was first sent, and that is another name:
 * where both are the same to `isSame`, it is how the service writes the one that was sent.
 */
export function isNameKept(
  cell: Cell | undefined,
  {
    sent,
    back,
    before,
    isSame,
  }: {
    sent: string;
    back: string;
    before: string | undefined;
    isSame: (a: string, b: string) => boolean;
  },
): boolean {
  const name = normaliseName(back);
  const held = findFailed(cell)?.before ?? (before === undefined ? before : normaliseName(before));
  return name === held && !isSame(name, sent);
}
