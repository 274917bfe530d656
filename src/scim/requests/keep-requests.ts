import type { Request, RequestHandler, Response } from 'express';
import { readSteady } from '../../domain/clock.ts';
import { isId } from '../../domain/ids.ts';
import type { KeptRequest, WrittenPath } from '../../domain/kept-request.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { getNotes, type NotedOperation } from '../http/notes.ts';
import type { RepairedParts } from '../repairs.ts';
import { listWritten } from './list-written.ts';

const CLIENT_LENGTH_MAX = 100;

/**
 * Keeps the writes and the refused requests of providers in the log: their form, never a value. Successful reads are
 * not kept.
 */
export function keepRequests(
  deps: Pick<ScimDeps, 'clock' | 'requests' | 'telemetry'>,
): RequestHandler {
  return (req, res, next) => {
    const beganAtMs = readSteady(deps.clock);
    res.once('finish', () => {
      tellLosses(deps, res);
      if (isRead(req) && res.statusCode < 400) return;
      keep(deps, { req, res, beganAtMs });
    });
    next();
  };
}

/** Tells the log of parts of a request that were lost, with the id of the request. */
function tellLosses({ telemetry }: Pick<ScimDeps, 'telemetry'>, res: Response): void {
  const { repairs, operations = [] } = getNotes(res);
  const all = [...repairs.list(), ...operations.flatMap(({ repaired }) => repaired)];
  const lost: Record<string, number> = {};
  for (const { kind, count, isLoss } of all) if (isLoss) lost[kind] = (lost[kind] ?? 0) + count;
  if (Object.keys(lost).length === 0) return;
  telemetry.dropped({ requestId: getRequestContext(res).requestId, parts: lost });
}

/** A request that ended, and when it began. */
interface EndedRequest {
  readonly req: Request;
  readonly res: Response;
  readonly beganAtMs: number;
}

function keep(
  deps: Pick<ScimDeps, 'clock' | 'requests'>,
  { req, res, beganAtMs }: EndedRequest,
): void {
  const { requestId, arrivedAt: at } = getRequestContext(res);
  const { credential, scimType = null, operations, content, repairs } = getNotes(res);
  const repaired = toPaths(repairs.list());
  const { path } = req.route ?? {};
  // The pattern of the route, because the address itself may hold filters and personal data.
  const route = typeof path === 'string' ? path.replace(':id', '{id}') : 'none';
  const durationMs = Math.round(readSteady(deps.clock) - beganAtMs);
  const client = toClient(req.headers['user-agent']);
  const common = { at, requestId, durationMs, client, credential, route };
  if (operations !== undefined) {
    keepOperations(deps, operations, { common, repaired });
    return;
  }
  const ofGroups = route.startsWith('/Groups') ? 'group' : null;
  const type = route.startsWith('/Users') ? 'user' : ofGroups;
  deps.requests.add({
    ...{ ...common, method: req.method, status: res.statusCode, scimType, resourceType: type },
    resourceId: toResourceId(findResource(req, res)),
    written: [...listWritten(content), ...repaired],
  });
}

type Part = Pick<
  KeptRequest,
  'method' | 'resourceType' | 'resourceId' | 'written' | 'status' | 'scimType'
>;

/** Keeps each operation of a bulk request. The corrections of the request as a whole are told with the first. */
function keepOperations(
  { requests }: Pick<ScimDeps, 'requests'>,
  operations: readonly NotedOperation[],
  { common, repaired }: { common: Omit<KeptRequest, keyof Part>; repaired: WrittenPath[] },
): void {
  for (const [index, operation] of operations.entries()) {
    const part = toPart(operation);
    const whole = index === 0 ? repaired : [];
    requests.add({ ...common, ...part, written: [...part.written, ...whole] });
  }
}

function isRead({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return method === 'GET' || method === 'HEAD' || path.endsWith('/.search');
}

/** The name of the client: printable ASCII, up to a limit. */
function toClient(userAgent: string | undefined): string | null {
  const text = userAgent?.replace(/[^\x20-\x7e]/g, '?').slice(0, CLIENT_LENGTH_MAX) ?? '';
  return text === '' ? null : text;
}

function toPaths(repaired: readonly RepairedParts[]): WrittenPath[] {
  return repaired.map(({ op, kind, count }) => ({ op, path: kind, values: count }));
}

/** Text in the place of an id: of what was created, of what the address names. */
function findResource({ method, originalUrl }: Request, res: Response): string | undefined {
  const { resourceId } = getNotes(res);
  if (resourceId !== undefined) return resourceId;
  const location = String(res.getHeader('Location') ?? '');
  // The parameters of the route are gone where a request was refused.
  const address = method === 'POST' ? location : originalUrl.split('?', 1)[0];
  return address?.split('/').at(-1);
}

/** Ids of the bridge only: it keeps no name. */
function toResourceId(id: string | undefined): string | null {
  return id !== undefined && isId(id) ? id : null;
}

function toPart({
  method,
  resourceType,
  id,
  content,
  status,
  scimType,
  repaired,
}: NotedOperation): Part {
  const written = listWritten(content);
  return {
    method,
    resourceType,
    resourceId: toResourceId(id),
    written: [...written, ...toPaths(repaired)],
    status,
    scimType: scimType ?? null,
  };
}
