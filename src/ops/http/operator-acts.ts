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

/** An act about one of several subjects. */
interface SubjectAct {
  /** Id, never a name. */
  readonly target: string;
  readonly change: Change;
}

/** Notes of an answer about its act, for the log and the acts that are kept. */
export interface ActNotes {
  /** Id of the subject, where the address does not have it or has a name; never a name. */
  readonly target?: string | undefined;
  readonly change?: Change;
  /** Acts that are kept in the place of the one of the request: one of each subject, and none of what only tells. */
  readonly acts?: readonly SubjectAct[];
}

/** Notes what a request does, beside what was noted before. */
export function noteAct(res: Response, notes: ActNotes): void {
  res.locals.act = { ...getNotes(res), ...notes };
}

/** Only `noteAct` sets them. */
function getNotes({ locals }: Response): ActNotes {
  return (locals.act ?? {}) as ActNotes;
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

/** Without acts of its own the request is one; an id that was found is no free text of the sender. */
function listSubjects(
  { params }: Request,
  res: Response,
): readonly Pick<OperatorAct, 'target' | 'change'>[] {
  const { target, change, acts } = getNotes(res);
  const isKnown = res.statusCode !== 400 && res.statusCode !== 404;
  const named = isKnown && typeof params.id === 'string' ? params.id : undefined;
  return acts ?? [{ target: target ?? named, change }];
}
