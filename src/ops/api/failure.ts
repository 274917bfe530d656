import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** The failure of a call as JSON for its caller: `answer` may hold personal data; null: it was empty or a web page. */
export function toApiFailure(error: UpstreamError): OpsJson<'CallFailure'> {
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

/** The error in the JSON of a bridge of the same version; undefined when it is none. */
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

function isApiFailure(answer: unknown): answer is OpsJson<'CallFailure'> {
  return isNamed(answer) && 'operation' in answer && 'outcome' in answer;
}

/** The same version of the bridge has the same codes. */
function parseCode({ code }: OpsJson<'CallFailure'>): UpstreamErrorCode {
  return code as UpstreamErrorCode;
}

/** The message without what the error puts before it. */
function toDetail({ operation, code, status, message }: OpsJson<'CallFailure'>): string {
  const answered = status === null ? '' : ` (status ${status})`;
  const prefix = `${operation}: ${code}${answered}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}
