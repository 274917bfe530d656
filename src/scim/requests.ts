import type { Request, RequestHandler, Response } from 'express';
import { readSteady } from '../domain/clock.ts';
import { isId, isJsonObject } from '../domain/values.ts';
import type { WrittenPath } from '../domain/write.ts';
import type { KeptRequest } from '../store/logs.ts';
import { ANSWERED, getRequestContext } from '../telemetry/request-context.ts';
import type { ScimDeps } from './deps.ts';
import type { Content } from './dialect/parse-body.ts';
import type { PatchStep } from './dialect/to-steps.ts';
import type { ScimError } from './errors.ts';
import { isRead } from './http/address.ts';
import { getNotes, note } from './http/notes.ts';
import type { RepairedParts } from './repairs.ts';
import { REPAIRS } from './repairs.ts';
import { toPathText } from './schema/resource-schemas.ts';
import { maskTrace } from './trace.ts';

const CLIENT_LENGTH_MAX = 100;

/** Keeps the writes and the refused requests of providers in the log, and all of a traced one: their form, never a value. */
export function keepRequests(
  deps: Pick<ScimDeps, 'clock' | 'openRequest' | 'events' | 'findHandling'>,
): RequestHandler {
  return (req, res, next) => {
    const { isTraced } = deps.findHandling(getNotes(res).provider);
    if (isTraced) note(res, { trace: {} });
    const beganAtMs = readSteady(deps.clock);
    const open = () => deps.openRequest(() => toLine(req, res, { duration_ms: 0, status: 0 }));
    // A read changes nothing, so it has a record only if it is refused or traced.
    const record = isRead(req) ? undefined : open();
    res.once(ANSWERED, () => {
      tellLosses(deps, res);
      const { statusCode: status } = res;
      if (record === undefined && status < 400 && !isTraced) return;
      const duration_ms = Math.round(readSteady(deps.clock) - beganAtMs);
      (record ?? open()).end(listLines(req, res, { duration_ms, status }));
    });
    record ? record.run(next) : next();
  };
}

function tellLosses({ events }: Pick<ScimDeps, 'events'>, res: Response): void {
  const { repairs, operations = [] } = getNotes(res);
  const all = [...repairs.list(), ...operations.flatMap(({ repaired }) => repaired)];
  const parts: Record<string, number> = {};
  for (const { kind, op, count } of all) {
    if (op === 'drop' && REPAIRS[kind].isLoss) parts[kind] = (parts[kind] ?? 0) + count;
  }
  if (Object.keys(parts).length === 0) return;
  events.partsDropped({ requestId: getRequestContext(res).requestId, parts });
}

type Outcome = Pick<KeptRequest, 'duration_ms' | 'status'>;

/** Lines of a request: of a bulk request one of each operation, the corrections of the whole with the first. */
function listLines(req: Request, res: Response, outcome: Outcome): KeptRequest[] {
  const line = toLine(req, res, outcome);
  const { operations, repairs } = getNotes(res);
  if (operations === undefined) return [line];
  return operations.map(({ id, content, refusal, repaired, ...operation }, index) => ({
    ...line,
    ...operation,
    ...toReason(refusal),
    exchange: index === 0 ? (line.exchange ?? null) : null,
    resource_id: toResourceId(id),
    written: toWritten(content, index === 0 ? [...repaired, ...repairs.list()] : repaired),
  }));
}

function toLine(req: Request, res: Response, outcome: Outcome): KeptRequest {
  const { requestId, arrivedAt: at } = getRequestContext(res);
  const { credential, refusal, content, repairs, resourceId, trace } = getNotes(res);
  const client = req.headers['user-agent']?.replace(/[^\x20-\x7e]/g, '?');
  const { path } = req.route ?? {};
  // The pattern of the route, because the address itself may hold filters and personal data.
  const route = typeof path === 'string' ? path.replace(':id', '{id}') : 'none';
  const ofGroups = route.startsWith('/Groups') ? 'group' : null;
  return {
    ...outcome,
    ...toReason(refusal),
    at,
    request_id: requestId,
    method: req.method,
    route,
    credential,
    client: client?.slice(0, CLIENT_LENGTH_MAX) || null,
    resource_type: route.startsWith('/Users') ? 'user' : ofGroups,
    // The parameters of the route are gone where a request was refused.
    resource_id: toResourceId(resourceId ?? req.originalUrl.split('?', 1)[0]?.split('/').at(-1)),
    written: toWritten(content, repairs.list()),
    exchange: trace && outcome.status > 0 ? maskTrace(req, trace) : null,
  };
}

function toReason(refusal: ScimError | undefined): Pick<KeptRequest, 'scim_type' | 'refusal'> {
  return { scim_type: refusal?.scimType ?? null, refusal: refusal?.kept ?? null };
}

/** Ids of the bridge only: it keeps no name. */
function toResourceId(id: string | undefined): string | null {
  return id !== undefined && isId(id) ? id : null;
}

const PATHS_MAX = 50;

/** Attributes that a request writes, and its repairs. Names come from the schemas alone: unknown ones and filters may hold personal data. @param content undefined: nothing is written */
function toWritten(content: Content | undefined, repaired: readonly RepairedParts[]) {
  const written = content?.steps.flatMap(ofStep) ?? [];
  const isWhole = content !== undefined && 'mentioned' in content;
  const attributes = sum(isWhole ? written.map((one) => ({ ...one, op: 'set' })) : written);
  return [
    ...attributes,
    ...repaired.map(({ op, kind, count }) => ({ op, path: kind, values: count })),
  ];
}

function ofStep(step: PatchStep): WrittenPath[] {
  if (step.kind === 'users') return [{ op: step.op, path: `${step.list}s`, values: step.ids.size }];
  if (step.kind === 'users-where') return [{ op: 'remove', path: `${step.list}s`, values: 1 }];
  const path = toPathText(step.target.path);
  if (step.kind === 'clear') return [{ op: 'remove', path, values: 0 }];
  if (step.kind === 'exclude') return [{ op: 'remove', path, values: step.values.length }];
  const { op, value } = step;
  if (!isJsonObject(value)) return [{ op, path, values: Array.isArray(value) ? value.length : 1 }];
  return Object.keys(value).map((name) => ({ op, path: `${path}.${name}`, values: 1 }));
}

function sum(all: readonly WrittenPath[]): WrittenPath[] {
  const byPath = new Map<string, WrittenPath>();
  for (const one of all) {
    const key = `${one.op} ${one.path}`;
    const values = (byPath.get(key)?.values ?? 0) + one.values;
    byPath.set(key, { ...one, values });
  }
  return [...byPath.values()].slice(0, PATHS_MAX);
}
