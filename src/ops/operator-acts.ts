import type { Request, RequestHandler, Response } from 'express';
import { getRequestId } from '../telemetry/request-context.ts';
import { getOperator } from './operator.ts';

/** What an operator did, and how it was answered. */
export interface OperatorAct {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route: ids and names of people do not get into the log. */
  readonly route: string;
  readonly status: number;
  /** The name of the credential. */
  readonly operator: string;
  /** Id of the plan, drift, person, group, token or client that it was about; undefined where there is none. */
  readonly target: string | undefined;
  readonly remoteAddress: string;
}

/** Says what a request is about where its address does not, or has a name in it. @param id never a name */
export function noteTarget(res: Response, id: string): void {
  res.locals.target = id;
}

/** Tells of each request that does more than read. Calls of the service are told by what makes them. */
export function tellActs(acted: (act: OperatorAct) => void): RequestHandler {
  return (req, res, next) => {
    const { method } = req;
    if (method === 'GET' || method === 'HEAD' || req.path.startsWith('/api/')) return next();
    res.once('finish', () => {
      const { name: operator } = getOperator(res);
      const { statusCode: status } = res;
      acted({
        ...{ requestId: getRequestId(res), method, route: toRoute(req), status, operator },
        target: findTarget(req, res),
        remoteAddress: req.ip ?? '',
      });
    });
    next();
  };
}

function toRoute({ baseUrl, route }: Request): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'none';
}

/** What was found by an id is no text of somebody's own. */
function findTarget({ params }: Request, { locals, statusCode }: Response): string | undefined {
  if (typeof locals.target === 'string') return locals.target;
  const isKnown = statusCode !== 400 && statusCode !== 404;
  return isKnown && typeof params.id === 'string' ? params.id : undefined;
}
