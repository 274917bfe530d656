import type { Response } from 'express';
import { z } from 'zod';
import { toLoggedName } from '../../access/sessions.ts';
import { findJson } from '../../domain/values.ts';
import { findSubject } from '../../reconcile/loop/reconciler.ts';
import { findNearest } from '../../settings/nearest.ts';
import { getRequestContext, whenClosed } from '../../telemetry/request-context.ts';
import type { UpstreamErrorCode } from '../../upstream/errors.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { operationGroups } from '../../upstream/operations/all.ts';
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Fields, Operation, OperationGroup } from '../../upstream/operations/operation.ts';
import type { Named } from '../../upstream/operations/part.ts';
import { compileFieldType, isFileType, isNamed, toTypes } from '../../upstream/operations/part.ts';
import { Problem, readJson } from '../http/body.ts';
import { noteAct } from '../http/operator.ts';
import { route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { opsSchemas, toView } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** The request that calls the service as the bridge does, in the same budget. */
export const apiRoutes = [
  route(
    {
      method: 'post',
      path: '/api/{group}/{operation}',
      summary: 'Call any operation of the service; `scim-bridge api --list` lists them.',
      body: 'CallBody',
      // Files travel as base64: 12 MB of them.
      readers: [readJson('16mb')],
      answers: { 200: 'CallResult', 502: 'CallFailure', 503: 'CallFailure', 504: 'CallFailure' },
    },
    async (sources, { params, res, operator: { id: credential, name } }) => {
      const id = `${params.group}.${params.operation}`;
      const operation = findOperation(id);
      if (operation === undefined) {
        const more = { near: [findNearOperation(id) ?? []].flat() };
        throw new Problem(404, 'unknown-operation', `There is no operation ${id}.`, { more });
      }
      const answer = await makeCall(sources, operation, res);
      const result = 'code' in answer.json ? String(answer.json.code) : 'done';
      const call = { operation: id, result };
      const { requestId, remoteAddress } = getRequestContext(res);
      const operator = toLoggedName({ credential, operator: name });
      const by = { requestId, remoteAddress, operator, credential };
      sources.process.events.operatorCalled({ ...call, ...by });
      return { ...answer, change: { after: call } };
    },
  ),
] as const;

async function makeCall({ leadership, store }: OpsSources, operation: Operation, res: Response) {
  // A caller that does not wait for the answer any more has no call that waits for its turn.
  const gone = new AbortController();
  whenClosed(res, () => gone.abort());
  try {
    const args = parseCall(operation, res.req.body);
    const subject = await findSubject(store.read, operation.id, args);
    if (subject !== undefined) noteAct(res, { target: subject });
    const result = await leadership.callForOperator(operation, args, { signal: gone.signal });
    return { status: 200, json: { result: result ?? null } } as const;
  } catch (error) {
    if (error instanceof TypeError) {
      const change = { after: { operation: operation.id, result: 'invalid' } };
      throw new Problem(400, 'invalid', error.message, { change });
    }
    if (!(error instanceof UpstreamError)) throw error;
    const silent = error.code === 'timeout' ? 504 : 503;
    const status = error.status === undefined ? silent : 502;
    return { status, json: toApiFailure(error) } as const;
  }
}

/** Parses the body of a call. Files are taken from `files` alone: a text would be a path on this machine. @throws TypeError */
export function parseCall(operation: Operation, sent: unknown): object {
  const { id, pathParameters, query, body: fields = {} } = operation;
  const parsed = opsSchemas.CallBody.safeParse(sent ?? {});
  if (!parsed.success) throw new TypeError(`${id}: ${z.prettifyError(parsed.error)}`);
  const { files = {}, body, ...more } = parsed.data;
  const args = {
    ...more,
    ...(more.path && { path: parseTexts(pathParameters, more.path) }),
    ...(more.query && { query: parseTexts(query, more.query) }),
  };
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

/** Reads texts of parameters that are numbers, truths, lists with commas or JSON; what fits none stays as it is. */
function parseTexts(fields: Fields = {}, values: Named): Named {
  const types = toTypes(fields);
  const parsed = Object.entries(values).map(([name, value]) => {
    const type = types.get(name);
    if (type === undefined || typeof value !== 'string') return [name, value];
    const words = value.split(',');
    const lists = [words, words.map(findJson)];
    const read = /^(\(.+\)|[^|]+)\[\]$/.test(type) ? lists : [value, findJson(value)];
    return [name, read.find(compileFieldType(type)) ?? value];
  });
  return Object.fromEntries(parsed);
}

/** Every operation of the service, group after group. */
export const allOperations: readonly Operation[] = Object.values(operationGroups).flatMap(
  (group: OperationGroup) => Object.values(group),
);

const operationsById = new Map(allOperations.map((operation) => [operation.id, operation]));

/** The operation that `group.name` means. */
export const findOperation = (id: string) => operationsById.get(id);

/** The name that was probably meant by a wrong one; a name without its group is found too. */
export function findNearOperation(wrong: string): string | undefined {
  const ids = [...operationsById.keys()];
  return ids.find((id) => id.endsWith(`.${wrong}`)) ?? findNearest(wrong, ids);
}

/** The failure of a call as JSON for its caller: `answer` may hold personal data; null: it was empty or a web page. */
export function toApiFailure(error: UpstreamError): OpsJson<'CallFailure'> {
  const { message, status = null, requestId = null, retryAfterMs = null, body } = error;
  const text = body.kind === 'text' ? body.text : null;
  const answer = body.kind === 'json' ? body.value : text;
  const more = { message, status, requestId, retryAfterMs, answer };
  return toView('CallFailure', error, more);
}

/** The error in the JSON of a bridge of the same version; undefined when it is none. */
export function findApiFailure(answer: unknown): UpstreamError | undefined {
  if (!isNamed(answer) || !('operation' in answer) || !('outcome' in answer)) return undefined;
  const failure = parseFailure(answer);
  const { operation, status, code, message, answer: value } = failure;
  // The error puts this before its words.
  const prefix = `${operation}: ${code}${status === null ? '' : ` (status ${status})`}: `;
  return new UpstreamError(code, {
    ...failure,
    detail: message.startsWith(prefix) ? message.slice(prefix.length) : message,
    status: status ?? undefined,
    requestId: failure.requestId ?? undefined,
    retryAfterMs: failure.retryAfterMs ?? undefined,
    body: value === null ? undefined : { kind: 'json', value },
  });
}

/** The same version of the bridge has the same form and codes. */
function parseFailure(answer: unknown) {
  return answer as OpsJson<'CallFailure'> & { readonly code: UpstreamErrorCode };
}
