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
  switch (status) {
    case 401:
      return { code: 'credentials-refused', retry: 'later', outcome: 'answered' };
    case 402:
    case 403:
    case 405:
    case NOT_IMPLEMENTED:
      return { code: 'not-permitted', retry: 'never', outcome: 'answered' };
    case 404:
    case 410:
      return { code: 'not-found', retry: 'never', outcome: 'answered' };
    case 408:
      return { code: 'unavailable', retry: 'later', outcome: 'unknown' };
    case 409:
      return { code: 'conflict', retry: 'never', outcome: 'answered' };
    case 413:
      return { code: 'too-large', retry: 'never', outcome: 'answered' };
    case 429:
      return { code: 'rate-limited', retry: 'later', outcome: 'answered' };
    default:
      return classifyRange(status);
  }
}

function classifyRange(status: number): StatusMeaning {
  if (isFailing(status)) return { code: 'unavailable', retry: 'later', outcome: 'unknown' };
  if (status >= 400) return { code: 'refused', retry: 'never', outcome: 'answered' };
  return { code: 'redirected', retry: 'later', outcome: 'unknown' };
}
