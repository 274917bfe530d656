import type { AnswerBody, AnswerHeaders } from './answer-body.ts';

/**
 * Stable code of a failure.
 * Refused: `refused` (400, 422 and other 4xx) `not-permitted` (402, 403, 405, 501) `not-found` `conflict` `too-large`
 * (413).
 * Not now: `credentials-refused` (401) `rate-limited` (429) `unavailable` (408, other 5xx) `redirected`.
 * Unusable answer: `unreadable` `response-too-large`. No answer: `connection` `timeout` `aborted`.
 * Not sent: `circuit-open` `overloaded` (queue full) `observe-mode` `writes-paused` `stopped` (by a hook) `closed`.
 */
export type UpstreamErrorCode =
  | 'refused'
  | 'not-permitted'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'credentials-refused'
  | 'rate-limited'
  | 'unavailable'
  | 'redirected'
  | 'unreadable'
  | 'response-too-large'
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'circuit-open'
  | 'overloaded'
  | 'observe-mode'
  | 'writes-paused'
  | 'stopped'
  | 'closed';

/**
 * Effect of a failed call: `not-sent`: the service has not seen it; `answered`: the service refused it; `unknown`:
 * the service may have done it (the answer was lost, broken, or a failure that says nothing about the effect).
 */
export type Outcome = 'not-sent' | 'unknown' | 'answered';

/** What an `UpstreamError` is made of. */
export interface UpstreamFailure {
  readonly operation: string;
  /** Text for operators; nothing from a body, unless the caller asked for it, and never a token. */
  readonly detail: string;
  readonly retry: 'later' | 'never';
  readonly outcome: Outcome;
  readonly status?: number | undefined;
  readonly headers?: AnswerHeaders | undefined;
  readonly requestId?: string | undefined;
  readonly body?: AnswerBody | undefined;
  readonly words?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Failure of a call. `retry` tells the caller what to do, so that no caller classifies `status` again. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly code: UpstreamErrorCode;
  /** `group.name` of the operation, or the object that was read. */
  readonly operation: string;
  readonly retry: 'later' | 'never';
  readonly outcome: Outcome;
  /** HTTP status; undefined when no response came. */
  readonly status: number | undefined;
  /** The service's request id, for its support. */
  readonly requestId: string | undefined;
  /** Wait that the service, or our own pause, asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  // Private, so that a logger that copies an error's fields never meets a body.
  readonly #failure: UpstreamFailure;

  constructor(code: UpstreamErrorCode, failure: UpstreamFailure) {
    const { operation, detail, status, cause } = failure;
    const answered = status === undefined ? '' : ` (status ${status})`;
    super(
      `${operation}: ${code}${answered}: ${detail}`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.operation = operation;
    this.retry = failure.retry;
    this.outcome = failure.outcome;
    this.status = status;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs;
    this.#failure = failure;
  }

  /** Headers of the answer; none when no answer came. */
  get headers(): AnswerHeaders {
    return this.#failure.headers ?? {};
  }

  /** The answer as far as it could be read; may hold personal data. */
  get body(): AnswerBody {
    return this.#failure.body ?? { kind: 'empty' };
  }

  /** The service's own explanation, at most 300 characters, for the caller; may hold personal data. */
  get words(): string | undefined {
    return this.#failure.words;
  }
}

/** What an error tells beside its code, operation and words. */
type More = Partial<Omit<UpstreamFailure, 'operation' | 'detail'>>;

/** Error of a call that the service has not seen. */
export function notSent(
  code: UpstreamErrorCode,
  operation: string,
  detail: string,
  more: More = {},
): UpstreamError {
  return new UpstreamError(code, {
    retry: 'later',
    outcome: 'not-sent',
    ...more,
    operation,
    detail,
  });
}

/** Error of an answer that cannot be understood: what the call did is unknown. */
export function unreadable(operation: string, detail: string, more: More = {}): UpstreamError {
  const fate = { retry: 'later', outcome: 'unknown' } as const;
  return new UpstreamError('unreadable', { ...fate, ...more, operation, detail });
}

/** Meaning of a status for the caller. */
interface StatusMeaning {
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
