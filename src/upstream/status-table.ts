import type { Outcome, UpstreamErrorCode } from './errors.ts';

/** Meaning of a status for the caller. */
export interface StatusMeaning {
  readonly code: UpstreamErrorCode;
  readonly retry: 'later' | 'never';
  readonly outcome: Outcome;
}

/** Status of a service that does not have the operation: it neither fails nor will have it later (RFC 9110 §15.6.2). */
const NOT_IMPLEMENTED = 501;

/** True for a status that says that the service fails. */
export function isFailing(status: number): boolean {
  return status >= 500 && status !== NOT_IMPLEMENTED;
}

/**
 * Classifies an answer other than 2xx; total. A failure or 408 may come from a gateway after the service has done the
 * work, and a redirect from a login page before it, so the effect of these is unknown.
 */
export function classifyStatus(status: number): StatusMeaning {
  const [code, retry, outcome] = MEANINGS.get(status) ?? classifyRange(status);
  return { code, retry, outcome };
}

type Meaning = [UpstreamErrorCode, StatusMeaning['retry'], Outcome];

const NOT_PERMITTED: Meaning = ['not-permitted', 'never', 'answered'];
const NOT_FOUND: Meaning = ['not-found', 'never', 'answered'];
const UNAVAILABLE: Meaning = ['unavailable', 'later', 'unknown'];
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [401, ['credentials-refused', 'later', 'answered']],
  [402, NOT_PERMITTED],
  [403, NOT_PERMITTED],
  [404, NOT_FOUND],
  [405, NOT_PERMITTED],
  [408, UNAVAILABLE],
  [409, ['conflict', 'never', 'answered']],
  [410, NOT_FOUND],
  [413, ['too-large', 'never', 'answered']],
  [429, ['rate-limited', 'later', 'answered']],
  [NOT_IMPLEMENTED, NOT_PERMITTED],
]);

function classifyRange(status: number): Meaning {
  if (isFailing(status)) return UNAVAILABLE;
  return status >= 400 ? ['refused', 'never', 'answered'] : ['redirected', 'later', 'unknown'];
}
