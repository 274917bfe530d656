import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { isNamed } from '../../upstream/operations/part.ts';

/** Why a call of the service failed, as JSON for the one who asked: `answer` may hold personal data. */
export interface ApiFailure {
  /** One of the codes of `UpstreamError`. */
  readonly code: string;
  readonly message: string;
  readonly operation: string;
  /** The HTTP status of the service's answer; null when there was none. */
  readonly status: number | null;
  /** Whether the same call may succeed later. */
  readonly retry: 'later' | 'never';
  /** Whether the service may have done what was asked. */
  readonly outcome: 'not-sent' | 'unknown' | 'answered';
  /** The request id that the service gave. */
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  /** The service's answer: parsed JSON, or text; null when it was empty or a web page. */
  readonly answer: unknown;
}

/** What became of a call, for the one who asked. */
export function toApiFailure(error: UpstreamError): ApiFailure {
  const { code, message, operation, status, retry, outcome, requestId, retryAfterMs } = error;
  return {
    code,
    message,
    operation,
    status: status ?? null,
    retry,
    outcome,
    requestId: requestId ?? null,
    retryAfterMs: retryAfterMs ?? null,
    answer: toAnswer(error),
  };
}

function toAnswer({ body }: UpstreamError): unknown {
  if (body.kind === 'json') return body.value;
  return body.kind === 'text' ? body.text : null;
}

/** The failure that a bridge of the same version has told, or undefined when the JSON is none. */
export function findApiFailure(answer: unknown): UpstreamError | undefined {
  if (!isApiFailure(answer)) return undefined;
  const { operation, status, retry, outcome, requestId, retryAfterMs } = answer;
  return new UpstreamError(parseCode(answer), {
    operation,
    detail: toDetail(answer),
    retry,
    outcome,
    status: status ?? undefined,
    requestId: requestId ?? undefined,
    retryAfterMs: retryAfterMs ?? undefined,
    body: answer.answer === null ? undefined : { kind: 'json', value: answer.answer },
  });
}

function isApiFailure(answer: unknown): answer is ApiFailure {
  return isNamed(answer) && 'operation' in answer && 'outcome' in answer;
}

/** What the same version of the bridge calls it. */
function parseCode({ code }: ApiFailure): UpstreamErrorCode {
  return code as UpstreamErrorCode;
}

/** The message without what the error puts before it. */
function toDetail({ operation, code, status, message }: ApiFailure): string {
  const answered = status === null ? '' : ` (status ${status})`;
  const prefix = `${operation}: ${code}${answered}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}
