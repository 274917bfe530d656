import { BridgeError } from '../domain/errors.ts';
import { UpstreamError, type UpstreamErrorCode } from '../upstream/errors.ts';
import type { Problem } from './outcome.ts';

/**
 * Meaning of a failed call for its resource.
 * - `refused`: the service says no to this request, whatever happens later
 * - `forbidden`: no to this request or to the whole section; a cheap read tells which
 * - `missing`: the named thing is not there, to be confirmed by a look
 * - `conflict`: something is in the way: look, then adopt or dispute
 * - `smaller`: too much in one request
 * - `later`: not now, and nothing was changed
 * - `unknown`: not now, and it may have been changed
 */
export type Verdict =
  | 'refused'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'smaller'
  | 'later'
  | 'unknown';

/** Failed call with its verdict. */
export interface Classified {
  readonly verdict: Verdict;
  readonly problem: Problem;
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

/** What a look shows, or `other` where the service does not show it. @throws what is not the service's */
export async function seenOr<Seen, Other>(
  look: Promise<Seen>,
  other: Other,
): Promise<Seen | Other> {
  try {
    return await look;
  } catch (error) {
    classify(error);
    return other;
  }
}

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

/** Reason of a failed read: the verdict is that of the service, where the error is the service's. */
export interface Reason extends Partial<Classified> {
  readonly problem: Problem;
  /** Text for the log: the kind and the subject, never the service's own words. */
  readonly text: string;
}

/** Makes a reason of a thrown error. An error of neither the service nor the store is a bug, and is tried again too. */
export function toReason(error: unknown): Reason {
  if (error instanceof UpstreamError) return { ...classify(error), text: error.message };
  const text = error instanceof Error ? error.message : 'something was thrown that is no error';
  const code = error instanceof BridgeError ? error.code : 'bug';
  return { problem: { code, words: text }, text };
}
