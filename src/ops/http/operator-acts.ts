import type { Request, RequestHandler, Response } from 'express';
import type { JsonObject } from '../../domain/json.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { getOperator } from './operator.ts';

/** An act of an operator, and its answer. */
export interface OperatorAct {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route: ids and names of people do not get into the log. */
  readonly route: string;
  readonly status: number;
  /** The name of the credential. */
  readonly operator: string;
  /** The id of the credential. */
  readonly credential: string;
  /** Id of the plan, drift, person, group, token or client that it was about; undefined where there is none. */
  readonly target: string | undefined;
  readonly remoteAddress: string;
  readonly change: Change | undefined;
}

/** States before and after an act: ids, words and numbers, never a secret and never a name of a person. */
export interface Change {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** Notes the subject of a request for the log, where its address does not have it or has a name. @param id never a name */
export function noteTarget(res: Response, id: string): void {
  res.locals.target = id;
}

/** Notes the states before and after an act. */
export function noteChange(res: Response, change: Change): void {
  res.locals.change = change;
}

/** What was done about one of several subjects. */
export interface SubjectAct {
  /** Id, never a name. */
  readonly target: string;
  readonly change: Change;
}

/** Notes what was done about each subject of a request. */
export function noteActs(res: Response, acts: readonly SubjectAct[]): void {
  res.locals.acts = acts;
}

/** Reports each request that does more than read. */
export function tellActs(acted: (act: OperatorAct) => void): RequestHandler {
  return (req, res, next) => {
    const { method } = req;
    const mayAct = getOperator(res).purpose === 'operator';
    if (method === 'GET' || method === 'HEAD' || !mayAct) return next();
    res.once('finish', () => {
      const { name: operator, id: credential } = getOperator(res);
      const { statusCode: status } = res;
      const act = {
        ...{ requestId: getRequestId(res), method, route: toRoute(req), status },
        ...{ operator, credential, remoteAddress: req.ip ?? '' },
      };
      for (const one of listSubjects(req, res)) acted({ ...act, ...one });
    });
    next();
  };
}

function toRoute({ baseUrl, route }: Request): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'none';
}

/** An id that was found is no free text of the sender. */
function findTarget({ params }: Request, { locals, statusCode }: Response): string | undefined {
  if (typeof locals.target === 'string') return locals.target;
  const isKnown = statusCode !== 400 && statusCode !== 404;
  return isKnown && typeof params.id === 'string' ? params.id : undefined;
}

/** Only `noteActs` sets them; else the request is one act. */
function listSubjects(
  req: Request,
  res: Response,
): readonly Pick<OperatorAct, 'target' | 'change'>[] {
  const one = { target: findTarget(req, res), change: parseChange(res.locals.change) };
  return parseActs(res.locals.acts) ?? [one];
}

function parseActs(value: unknown): readonly SubjectAct[] | undefined {
  return value as readonly SubjectAct[] | undefined;
}

/** Only `noteChange` sets it. */
function parseChange(value: unknown): Change | undefined {
  return value as Change | undefined;
}
