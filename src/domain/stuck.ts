import type { Pending } from './pending.ts';

/** A refusal in words that may be shown to an operator and to the provider. */
export interface Refusal {
  /** Stable and short, such as `refused` or `conflict`. */
  readonly code: string;
  /** The service's words, bounded, or ours. */
  readonly words: string;
  /** The HTTP status of the service, when there was an answer. */
  readonly status?: number;
}

/** Problem of a change that the service accepted and did not make, in our words: the service has none. */
export const NOT_APPLIED: Refusal = {
  code: 'not-applied',
  words: 'the service accepted the change and still says otherwise',
};

/** Problem of a write that would have taken over somebody whom the service does not have any more. */
export const NOT_THERE: Refusal = {
  code: 'not-there',
  words: 'the service does not have the account any more',
};

/** True where the service accepted a change and did not make it: its next success is looked at before it is believed. */
export function isNotApplied(problem: Refusal | undefined): boolean {
  return problem?.code === NOT_APPLIED.code;
}

/** A field whose acknowledged write the service refused, or did not make although it was asked to. */
export interface StuckField {
  /** The write that was refused or not made: a later one is tried at once. */
  readonly version: number;
  /** Time since which it is stuck (epoch milliseconds); null: not yet, it is tried again soon. */
  readonly since: number | null;
  /** Time of the next attempt (epoch milliseconds). */
  readonly retryAt: number;
  readonly problem: Refusal;
  /** Attempts at this write that failed in a row; of an outage the first alone counts. Absent: the service refused it. */
  readonly attempts?: number;
  /** Value that the service held before the first of them, where it tells whether the service made the change. */
  readonly before?: string;
  /** Time since which it waits for a free seat of the service (epoch milliseconds); absent: it waits for none. */
  readonly seatSince?: number;
}

/**
 * Stuck state of each field that the service refused after it was acknowledged, or failed to change. A field that is
 * absent is neither.
 */
export type Stuck<Field extends string> = { readonly [F in Field]?: StuckField };

/** Failed attempts, looks included, after which a removal of access is sent without a look: repeating it does no harm. */
export const ATTEMPTS_WITH_LOOK = 3;

/** Deferral of fields: the reason, and the time of the next attempt. */
export interface Deferral {
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/** Adds these pending fields as deferred. A field that was stuck before keeps its start. */
export function addStuck<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
  { fields, problem, now, retryAt }: Deferral & { readonly fields: readonly Field[] },
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of fields) {
    const version = pending[field];
    if (version === undefined) continue;
    next[field] = { version, since: stuck[field]?.since ?? now, retryAt, problem };
  }
  return next;
}

/** Adds these pending fields as waiting for a free seat. One that waited before keeps its place in the line. */
export function addSeatWaits<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
  { fields, problem, now, retryAt }: Deferral & { readonly fields: readonly Field[] },
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of fields) {
    const version = pending[field];
    if (version === undefined) continue;
    const seatSince = stuck[field]?.seatSince ?? now;
    next[field] = { version, since: null, retryAt, problem, seatSince };
  }
  return next;
}

/** Finds the field that waits for a free seat longest; undefined: none does. */
export function findSeatWait(
  stuck: Stuck<string>,
): (StuckField & { readonly seatSince: number }) | undefined {
  const all = Object.values<StuckField | undefined>(stuck).filter(waitsForSeat);
  return all.toSorted((a, b) => a.seatSince - b.seatSince)[0];
}

function waitsForSeat(
  one: StuckField | undefined,
): one is StuckField & { readonly seatSince: number } {
  return one?.seatSince !== undefined;
}

/** Ends the deferral of fields that wait for a free seat: it is their turn. */
export function withSeatTurn<Field extends string>(stuck: Stuck<Field>, now: number): Stuck<Field> {
  return endRest(stuck, now, waitsForSeat);
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

/** `stuck` with one more failed attempt at these waiting fields; a write that is new is counted anew. */
export function addFailed<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
  { fields, problem, held, ...failing }: FailedAttempt<Field>,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of fields) {
    const version = pending[field];
    if (version === undefined) continue;
    const known = stuck[field];
    const same = known?.version === version ? known : undefined;
    const attempts = addAttempt(same?.attempts ?? 0, failing);
    const before = same?.before ?? held[field];
    next[field] = {
      version,
      since: known?.since ?? null,
      retryAt: failing.toRetryAt(attempts),
      problem,
      attempts,
      ...(before === undefined ? {} : { before }),
      // A call whose outcome is not known leaves the place in the line as it was.
      ...(known?.seatSince === undefined ? {} : { seatSince: known.seatSince }),
    };
  }
  return next;
}

/** Marks fields that failed `attemptsMax` times as stuck, since `now` where they were not before. */
export function withExhausted<Field extends string>(
  stuck: Stuck<Field>,
  attemptsMax: number,
  now: number,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of parseStuckFields(stuck)) {
    const one = stuck[field];
    if (one?.since === null && (one.attempts ?? 0) >= attemptsMax) {
      // Nobody in the line waits for somebody who is stuck.
      const { seatSince: _, ...left }: StuckField = one;
      next[field] = { ...left, since: now };
    }
  }
  return next;
}

/** Fields of these writes that failed by their own fault. */
export function listFailed<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = {};
  for (const field of parseStuckFields(stuck)) {
    const one = stuck[field];
    if (one?.attempts !== undefined && one.version === pending[field]) next[field] = one;
  }
  return next;
}

/** Counts the failures of the change that failed most often. */
export function countAttempts(failed: Stuck<string>): number {
  const all = Object.values<StuckField | undefined>(failed);
  return Math.max(0, ...all.map((one) => one?.attempts ?? 0));
}

/** `stuck` without fields that wait no longer. */
export function onlyWaiting<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of parseStuckFields(stuck)) if (pending[field] === undefined) delete next[field];
  return next;
}

/** Pending fields that may be tried now: a stuck field rests until its time, unless it was written since. */
export function withoutDeferred<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): Pending<Field> {
  const next: { [F in Field]?: number } = { ...pending };
  for (const field of listDeferred(pending, stuck, now)) delete next[field];
  return next;
}

/** Finds when the next of the resting fields is tried again (epoch milliseconds); undefined: none rests. */
export function findNextRetryAt<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): number | undefined {
  const times = listDeferred(pending, stuck, now).map((field) => stuck[field]?.retryAt ?? now);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Ends the deferral of refused fields: the service was observed anew. That frees no seat. */
export function withoutRest<Field extends string>(stuck: Stuck<Field>, now: number): Stuck<Field> {
  return endRest(stuck, now, (one) => one.attempts === undefined && !waitsForSeat(one));
}

/** Ends the deferral of all fields: an operator wants them tried now. */
export function withoutAnyRest<Field extends string>(
  stuck: Stuck<Field>,
  now: number,
): Stuck<Field> {
  return endRest(stuck, now, () => true);
}

function endRest<Field extends string>(
  stuck: Stuck<Field>,
  now: number,
  isMeant: (one: StuckField) => boolean,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of parseStuckFields(stuck)) {
    const one = stuck[field];
    if (one !== undefined && isMeant(one)) {
      next[field] = { ...one, retryAt: Math.min(one.retryAt, now) };
    }
  }
  return next;
}

/** Finds the field that is stuck longest; undefined: none is. */
export function findOldestStuck(
  stuck: Stuck<string>,
): (StuckField & { readonly since: number }) | undefined {
  const all = Object.values<StuckField | undefined>(stuck).filter(isStuck);
  return all.toSorted((a, b) => a.since - b.since)[0];
}

/** True for a field that is stuck; false for one that is tried again soon. */
export function isStuck(
  one: StuckField | undefined,
): one is StuckField & { readonly since: number } {
  return one !== undefined && one.since !== null;
}

/** Finds the problem of the field that is stuck longest, or else of one that failed. */
export function findProblem(stuck: Stuck<string>): Refusal | undefined {
  return (
    findOldestStuck(stuck)?.problem ?? Object.values<StuckField | undefined>(stuck)[0]?.problem
  );
}

/** The stuck fields. An object of ours has no other keys than its fields. */
function parseStuckFields<Field extends string>(stuck: Stuck<Field>): Field[] {
  return Object.keys(stuck) as Field[];
}

/**
 * Adds to a refusal of a new write of these fields the service's words about an earlier one that the provider was not
 * told about.
 */
export function withEarlierRefusals<Field extends string, P extends Refusal>(
  problem: P,
  stuck: Stuck<Field>,
  fields: readonly Field[],
): P {
  const earlier = fields.flatMap((field) => {
    const one = stuck[field];
    return isStuck(one) ? [one.problem.words] : [];
  });
  return withEarlierWords(problem, earlier);
}

/** `problem` with the words of earlier refusals, each once. */
export function withEarlierWords<P extends Refusal>(problem: P, earlier: readonly string[]): P {
  if (earlier.length === 0) return problem;
  const told = [...new Set(earlier)].join('; ');
  const words = `${problem.words} (a change that was accepted before was refused as well: ${told})`;
  return { ...problem, words };
}

function listDeferred<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): Field[] {
  return parseStuckFields(stuck).filter((field) => {
    const one = stuck[field];
    return one !== undefined && one.version === pending[field] && one.retryAt > now;
  });
}
