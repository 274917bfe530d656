import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { findNearest } from '../../settings/nearest.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { operationGroups } from '../../upstream/operations/all.ts';
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';
import { isFileType, isNamed, toTypes } from '../../upstream/operations/part.ts';
import { EXACT_JSON, Problem } from '../http/body.ts';
import { noteAct } from '../http/operator.ts';
import { type Answer, ok, route } from '../http/route.ts';
import { type OpsJson, opsSchemas } from '../schemas/schemas.ts';
import type { ApiSource } from '../sources.ts';

/** A call with its files, which travel as base64: 12 MB of them. */
const BODY_MAX = '16mb';

const JSON_TYPES = ['json', '+json'];

/** A body that is not read would be a call without its arguments, which may change more: 415 for a body of another type. */
const assertReadable: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const hasBody = encoding !== undefined || Number(length ?? 0) > 0;
  if (!hasBody || req.is(JSON_TYPES) !== false) return next();
  const message = 'The body has to be JSON, and say so: Content-Type: application/json.';
  throw new Problem(415, 'invalid', message);
};

/** The request that calls the service as the bridge does, in the same budget. */
export const apiRoutes = [
  route(
    {
      method: 'post',
      path: '/api/{group}/{operation}',
      summary: 'Call any operation of the service; `scim-bridge api --list` lists them.',
      body: 'CallBody',
      readers: [assertReadable, express.json({ ...EXACT_JSON, limit: BODY_MAX, type: JSON_TYPES })],
      answers: { 200: 'CallResult', 502: 'CallFailure', 503: 'CallFailure', 504: 'CallFailure' },
    },
    async ({ api }, { params, req, res }) => {
      const id = `${params.group}.${params.operation}`;
      const operation = findOperation(id);
      if (operation === undefined) {
        const near = [findNearOperation(id)].filter((name) => name !== undefined);
        throw new Problem(404, 'unknown-operation', `There is no operation ${id}.`, {
          more: { near },
        });
      }
      const answer = await call(api, operation, { req, res });
      const result = 'code' in answer.json ? String(answer.json.code) : 'done';
      return { ...answer, change: { after: { operation: id, result } } };
    },
  ),
] as const;

type CallAnswer =
  | Answer<OpsJson<'CallResult'>, 200>
  | Answer<OpsJson<'CallFailure'>, 502 | 503 | 504>;

async function call(
  api: ApiSource,
  operation: Operation,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<CallAnswer> {
  const ended = { operation: operation.id };
  // A caller that does not wait for the answer any more has no call that waits for its turn.
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  try {
    const args = parseCall(operation, req.body);
    const subject = await api.findSubject(operation.id, args);
    if (subject !== undefined) noteAct(res, { target: subject });
    const result = await api.call(operation, args, { signal: gone.signal });
    api.report({ ...ended, result: 'done' }, res);
    return ok({ result: result ?? null });
  } catch (error) {
    if (error instanceof TypeError) {
      const change = { after: { operation: operation.id, result: 'invalid' } };
      throw new Problem(400, 'invalid', error.message, { change });
    }
    if (!(error instanceof UpstreamError)) throw error;
    api.report({ ...ended, result: error.code }, res);
    const silent = error.code === 'timeout' ? 504 : 503;
    return { status: error.status === undefined ? silent : 502, json: toApiFailure(error) };
  }
}

/** The body of `POST /ops/api/{group}/{operation}`. `content` is base64. */
export type SentCall = z.input<typeof opsSchemas.CallBody>;

/**
 * Parses the body of a call. Text in place of a file would be the path of one on this machine, so files are taken
 * from `files` alone.
 * @throws TypeError saying what is wrong
 */
export function parseCall({ id, body: fields = {} }: Operation, sent: unknown): object {
  const parsed = opsSchemas.CallBody.safeParse(sent ?? {});
  if (!parsed.success) throw new TypeError(`${id}: ${z.prettifyError(parsed.error)}`);
  const { files = {}, body, ...args } = parsed.data;
  const types = toTypes(fields);
  for (const name of Object.keys(body ?? {})) {
    if (!isFileType(types.get(name))) continue;
    throw new TypeError(`${id}: body.${name} is a file; it is sent in files`);
  }
  const entries = Object.entries(files).map(([name, list]) => {
    const type = types.get(name);
    if (!isFileType(type)) throw new TypeError(`${id}: files.${name} is unknown`);
    const inputs = list.map(({ content, ...named }): FileInput => {
      return { content: Buffer.from(content, 'base64'), ...named };
    });
    // A list where the operation takes several; where it takes one, the operation refuses several.
    return [name, type === 'file[]' || inputs.length > 1 ? inputs : inputs[0]] as const;
  });
  if (entries.length === 0) return body === undefined ? args : { ...args, body };
  return { ...args, body: { ...body, ...Object.fromEntries(entries) } };
}

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
