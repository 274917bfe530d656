import { findNearest } from '../../settings/nearest.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { operationGroups } from '../../upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';
import { isNamed } from '../../upstream/operations/part.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** Every operation of the service, group after group. */
export const allOperations: readonly Operation[] = Object.values(operationGroups).flatMap(
  (group: OperationGroup) => Object.values(group),
);

const operationsById = new Map(allOperations.map((operation) => [operation.id, operation]));

/** The operation that `group.name` means. */
export function findOperation(id: string): Operation | undefined {
  return operationsById.get(id);
}

/** The name that was probably meant by a wrong one; a name without its group is found too. */
export function findNearOperation(wrong: string): string | undefined {
  const ids = [...operationsById.keys()];
  return ids.find((id) => id.endsWith(`.${wrong}`)) ?? findNearest(wrong, ids);
}

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
