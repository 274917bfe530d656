import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** The failure of a call as JSON for its caller: `answer` may hold personal data; null: it was empty or a web page. */
export function toApiFailure(error: UpstreamError): OpsJson<'CallFailure'> {
  const { code, message, operation, status, retry, outcome, requestId, retryAfterMs, body } = error;
  const text = body.kind === 'text' ? body.text : null;
  return {
    code,
    message,
    operation,
    status: status ?? null,
    retry,
    outcome,
    requestId: requestId ?? null,
    retryAfterMs: retryAfterMs ?? null,
    answer: body.kind === 'json' ? body.value : text,
  };
}

/** The error in the JSON of a bridge of the same version; undefined when it is none. */
export function findApiFailure(answer: unknown): UpstreamError | undefined {
  if (!isNamed(answer) || !('operation' in answer) || !('outcome' in answer)) return undefined;
  const failure = parseFailure(answer);
  const { operation, status, retry, outcome, requestId, retryAfterMs, code, message } = failure;
  // The error puts this before its words.
  const prefix = `${operation}: ${code}${status === null ? '' : ` (status ${status})`}: `;
  return new UpstreamError(code, {
    operation,
    detail: message.startsWith(prefix) ? message.slice(prefix.length) : message,
    retry,
    outcome,
    status: status ?? undefined,
    requestId: requestId ?? undefined,
    retryAfterMs: retryAfterMs ?? undefined,
    body: failure.answer === null ? undefined : { kind: 'json', value: failure.answer },
  });
}

/** The same version of the bridge has the same form and codes. */
function parseFailure(answer: unknown) {
  return answer as OpsJson<'CallFailure'> & { readonly code: UpstreamErrorCode };
}
