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

/** A field whose acknowledged write the service refused. */
export interface StuckField {
  /** The write that was refused: a later one is tried at once. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly since: number;
  /** When it is tried again (epoch milliseconds). */
  readonly retryAt: number;
  readonly problem: Refusal;
}

/** Per field what the service refused of it after it was acknowledged. A field that is absent is not stuck. */
export type Stuck<Field extends string> = { readonly [F in Field]?: StuckField };

/** Why fields are put off, and until when. */
export interface PutOff {
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/** `stuck` with these waiting fields put off. What was stuck before stays so since then. */
export function addStuck<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
  { fields, problem, now, retryAt }: PutOff & { readonly fields: readonly Field[] },
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of fields) {
    const version = pending[field];
    if (version === undefined) continue;
    next[field] = { version, since: stuck[field]?.since ?? now, retryAt, problem };
  }
  return next;
}

/** `stuck` without fields that wait no longer. */
export function withoutSettled<Field extends string>(
  stuck: Stuck<Field>,
  pending: Pending<Field>,
): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of parseStuckFields(stuck)) if (pending[field] === undefined) delete next[field];
  return next;
}

/** What waits and may be tried now: a stuck field rests until its time, unless it was written since. */
export function withoutPutOff<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): Pending<Field> {
  const next: { [F in Field]?: number } = { ...pending };
  for (const field of listPutOff(pending, stuck, now)) delete next[field];
  return next;
}

/** When the next of the fields that rest is tried again (epoch milliseconds), or undefined when none does. */
export function findNextRetryAt<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): number | undefined {
  const times = listPutOff(pending, stuck, now).map((field) => stuck[field]?.retryAt ?? now);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** `stuck` with nothing put off any more: what the service holds was seen anew. */
export function withoutRest<Field extends string>(stuck: Stuck<Field>, now: number): Stuck<Field> {
  const next: { [F in Field]?: StuckField } = { ...stuck };
  for (const field of parseStuckFields(stuck)) {
    const one = stuck[field];
    if (one !== undefined) next[field] = { ...one, retryAt: Math.min(one.retryAt, now) };
  }
  return next;
}

/** The oldest of what is stuck, or undefined when nothing is. */
export function findOldestStuck(stuck: Stuck<string>): StuckField | undefined {
  const all = Object.values<StuckField | undefined>(stuck).filter((one) => one !== undefined);
  return all.toSorted((a, b) => a.since - b.since)[0];
}

/** The stuck fields. An object of ours has no other keys than its fields. */
function parseStuckFields<Field extends string>(stuck: Stuck<Field>): Field[] {
  return Object.keys(stuck) as Field[];
}

/**
 * A refusal of a new write of these fields, with what the service said of an earlier one that the
 * provider was never told about.
 */
export function withEarlierRefusals<Field extends string, P extends Refusal>(
  problem: P,
  stuck: Stuck<Field>,
  fields: readonly Field[],
): P {
  const earlier = fields.flatMap((field) => stuck[field]?.problem.words ?? []);
  return withEarlierWords(problem, earlier);
}

/** `problem` with the words of earlier refusals, each once. */
export function withEarlierWords<P extends Refusal>(problem: P, earlier: readonly string[]): P {
  if (earlier.length === 0) return problem;
  const told = [...new Set(earlier)].join('; ');
  const words = `${problem.words} (a change that was accepted before was refused as well: ${told})`;
  return { ...problem, words };
}

function listPutOff<Field extends string>(
  pending: Pending<Field>,
  stuck: Stuck<Field>,
  now: number,
): Field[] {
  return parseStuckFields(stuck).filter((field) => {
    const one = stuck[field];
    return one !== undefined && one.version === pending[field] && one.retryAt > now;
  });
}
