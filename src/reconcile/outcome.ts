import type { Echo } from '../domain/cell.ts';
import type { SeenEntities } from '../domain/entity.ts';
import type { ObservedGroup, ObservedUser, UpstreamIds } from '../domain/kinds.ts';
import type { LinkChange } from '../domain/link.ts';
import type { Refusal } from '../domain/values.ts';
import { BridgeError } from '../domain/values.ts';
import type { Field, Part } from '../plan/step.ts';
import type { UpstreamErrorCode } from '../upstream/errors.ts';
import { UpstreamError } from '../upstream/errors.ts';

/** Meaning of a failed call for its resource. */
export type Verdict =
  | 'refused' // The service says no to this request, whatever happens later.
  | 'forbidden' // No to this request or to the whole section; a cheap read tells which.
  | 'missing' // The named thing is not there, to be confirmed by a look.
  | 'conflict' // Something is in the way: look, then adopt or dispute.
  | 'smaller' // Too much in one request.
  | 'later' // Not now, and nothing was changed.
  | 'unknown'; // Not now, and it may have been changed.

/** Failed call with its verdict. */
export interface Classified {
  readonly verdict: Verdict;
  readonly problem: Refusal;
  /** Delay that the service asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Classifies a failed call: one that may have had its effect is `unknown`. @throws an error that is not the service's */
export function classify(error: unknown): Classified {
  if (!(error instanceof UpstreamError)) throw error;
  const { status, retryAfterMs } = error;
  return {
    verdict: VERDICTS.get(error.code) ?? (error.outcome === 'unknown' ? 'unknown' : 'later'),
    problem: {
      code: error.code,
      words: error.words ?? error.message,
      ...(status !== undefined && { status }),
    },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** What a look shows, or `other` where it fails in one of these ways, by default in any. @throws UpstreamError in others */
export async function seenOr<Seen, Other>(
  look: Promise<Seen>,
  other: Other,
  ...verdicts: readonly Verdict[]
): Promise<Seen | Other> {
  try {
    return await look;
  } catch (error) {
    const { verdict } = classify(error);
    if (verdicts.length > 0 && !verdicts.includes(verdict)) throw error;
    return other;
  }
}

/** Failures that do not end by themselves. */
export const LASTING = ['refused', 'forbidden', 'missing', 'conflict', 'smaller'] as const;

/** True when the service refused the request, so that a smaller one may be taken. */
export function isRefusal({ verdict }: Classified): boolean {
  return verdict === 'refused' || verdict === 'conflict';
}

/** The verdicts that codes mean by themselves; of the others the outcome tells. */
const VERDICTS: ReadonlyMap<string, Verdict> = new Map<UpstreamErrorCode, Verdict>([
  ['refused', 'refused'],
  ['conflict', 'conflict'],
  ['not-permitted', 'forbidden'],
  ['not-found', 'missing'],
  ['too-large', 'smaller'],
]);

/**
 * Makes a reason of the error of a failed read: `verdict` is that of the service, `text` is for the log, without the
 * service's own words. An error of neither the service nor the store is a bug, and is tried again too.
 */
export function toReadFailure(
  error: unknown,
): Partial<Classified> & { readonly problem: Refusal; readonly text: string } {
  if (error instanceof UpstreamError) return { ...classify(error), text: error.message };
  const text = error instanceof Error ? error.message : 'something was thrown that is no error';
  const code = error instanceof BridgeError ? error.code : 'bug';
  return { problem: { code, words: text }, text };
}

const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 5 * 60_000;
const STUCK_DELAY_MS = 60 * 60_000;
/** Longest delay before the next attempt at a stuck change, in milliseconds. */
export const STUCK_DELAY_MAX_MS = STUCK_DELAY_MS * 1.25;

/**
 * Delay before the next attempt, in milliseconds, at most five minutes: the one that the service asked for, else 1 s
 * doubling, with jitter between half and the whole so that replicas do not act in step.
 * @param attempts failures so far, 1 after the first. @param random uniform in [0, 1).
 */
export function backoffMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, DELAY_MAX_MS);
  const whole = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 20), DELAY_MAX_MS);
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Delay before the next attempt of a change that failed by its own fault, in milliseconds; later it is stuck. */
export function failedDelayMs(attempts: number, attemptsMax: number, random: number): number {
  return attempts < attemptsMax ? backoffMs(attempts, undefined, random) : stuckDelayMs(random);
}

/** Delay before the next attempt at a change that was acknowledged and then refused: at least an hour. */
export const stuckDelayMs = (random: number) => Math.round(STUCK_DELAY_MS * (1 + random / 4));

/** Knowledge that a step gained about a user or group. */
export interface Known {
  /** True when the service says that the resource does not exist. */
  readonly missing?: true;
  /** True when the resource existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Ids that the step learned, the others stay. */
  readonly ids?: Partial<UpstreamIds>;
  /** The user as observed. */
  readonly observed?: ObservedUser;
  /** The group as observed. */
  readonly group?: ObservedGroup;
  readonly echo?: Echo;
  readonly done?: readonly (Field | LinkChange)[];
  /** All members of the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[] | undefined;
  /** All admins of the group, in the same way. */
  readonly adminIds?: readonly number[] | undefined;
  /** The entities of the group, as they were listed, or changed since. */
  readonly entities?: SeenEntities | undefined;
}

/**
 * End of one upstream step.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time. `parts` counts an attempt, or waits for a free seat
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome =
  | { readonly kind: 'done'; readonly known: Known }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Refusal }
  | Postponed;

/** Outcome of a look that proves that the resource is not there. */
export const MISSING: Outcome = { kind: 'done', known: { missing: true } };

/** Outcome of a call that only REST can make, while the REST uid of the group is unknown. */
export const WITHOUT_UID: Outcome = {
  kind: 'later',
  problem: { code: 'no-uid', words: 'the service has not shown the REST uid of this group' },
};

/** End of a step that changed nothing and is planned anew at once. `most`: the service refused several parts together, which says nothing of each; so many may be in the next call. */
export interface Again {
  readonly kind: 'again';
  readonly most?: number;
}

/** End of a step that is tried again later. */
export type Postponed =
  | {
      readonly kind: 'later';
      readonly problem: Refusal;
      readonly retryAfterMs?: number;
      readonly parts?: readonly Part[];
    }
  | {
      readonly kind: 'unknown';
      readonly problem: Refusal;
      readonly parts?: readonly Part[];
      readonly lookNow?: true;
    };
