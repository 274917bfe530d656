import type { Request, RequestHandler } from 'express';
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
}

/** Tells of each request that does more than read. Calls of the service are told by what makes them. */
export function tellActs(acted: (act: OperatorAct) => void): RequestHandler {
  return (req, res, next) => {
    const { method } = req;
    if (method === 'GET' || method === 'HEAD' || req.path.startsWith('/api/')) return next();
    res.once('finish', () => {
      const { name: operator } = getOperator(res);
      const { statusCode: status } = res;
      acted({ requestId: getRequestId(res), method, route: toRoute(req), status, operator });
    });
    next();
  };
}

function toRoute({ baseUrl, route }: Request): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'none';
}
