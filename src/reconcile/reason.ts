import { BridgeError } from '../domain/errors.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Problem } from './outcome.ts';
import { judge, type Verdict } from './verdict.ts';

/** Why a read failed. */
export interface Reason {
  readonly problem: Problem;
  /** For the log: what and which, never the service's own words. */
  readonly text: string;
  /** What the service's refusal means; undefined: it was not the service. */
  readonly verdict?: Verdict;
  /** What the service asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** What was thrown, as a reason. What is neither the service's nor the store's is a bug, and is tried again too. */
export function toReason(error: unknown): Reason {
  if (error instanceof UpstreamError) {
    const { verdict, problem, retryAfterMs } = judge(error);
    return { problem, text: error.message, verdict, retryAfterMs };
  }
  const text = error instanceof Error ? error.message : 'something was thrown that is no error';
  const code = error instanceof BridgeError ? error.code : 'bug';
  return { problem: { code, words: text }, text };
}
