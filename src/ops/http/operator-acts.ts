import type { Request, RequestHandler, Response } from 'express';
import { isId } from '../../domain/ids.ts';
import type { OpenRecord } from '../../store/recorder.ts';
import { ANSWERED, getRequestContext } from '../../telemetry/request-context.ts';
import { getOperator } from './operator.ts';

/** An act of an operator, and its answer. */
export interface OperatorAct {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route: ids and names of people do not get into the log. */
  readonly route: string;
  /** undefined: there is no answer yet. */
  readonly status: number | undefined;
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
  readonly before?: object;
  readonly after?: object;
}

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
  noted.set(res, { ...noted.get(res), ...notes });
}

const noted = new WeakMap<Response, ActNotes>();

/** Opens the record of a request; `toAct` makes the act as it is known before the answer. */
export type OpenAct = (toAct: () => OperatorAct) => OpenRecord<OperatorAct>;

/** Keeps each request that does more than read with what it changes, and its answer. */
export function keepActs(open: OpenAct): RequestHandler {
  return (req, res, next) => {
    const { method, baseUrl } = req;
    const { name: operator, id: credential, purpose } = getOperator(res);
    if (method === 'GET' || method === 'HEAD' || purpose !== 'operator') return next();
    const { requestId, remoteAddress } = getRequestContext(res);
    const toAct = (status: number | undefined) => ({
      requestId,
      method,
      route: typeof req.route?.path === 'string' ? `${baseUrl}${req.route.path}` : 'none',
      status,
      operator,
      credential,
      remoteAddress,
      ...toSubject(req, res, status),
    });
    const record = open(() => toAct(undefined));
    res.once(ANSWERED, () => {
      const act = toAct(res.statusCode);
      const { acts = [act] } = noted.get(res) ?? {};
      record.end(acts.map((one) => ({ ...act, ...one })));
    });
    record.run(next);
  };
}

/** Without acts of its own the request is one; an id that was found is no free text of the sender. */
function toSubject(
  { params: { id } }: Request,
  res: Response,
  status: number | undefined,
): Pick<OperatorAct, 'target' | 'change'> {
  const { target, change } = noted.get(res) ?? {};
  if (typeof id !== 'string') return { target, change };
  const isKnown = status === undefined ? isId(id) : status !== 400 && status !== 404;
  return { target: target ?? (isKnown ? id : undefined), change };
}
