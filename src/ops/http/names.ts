import type { RequestHandler, Response } from 'express';
import { isId } from '../../domain/ids.ts';
import { getOperator } from './operator.ts';

/** Names the requests of readers who may know nobody by name. To be placed behind `requireOperator`. */
export function hideNames(readersSeeNames: boolean): RequestHandler {
  return (_req, res, next) => {
    res.locals.hidesNames = !readersSeeNames && getOperator(res).purpose !== 'operator';
    next();
  };
}

/** True when the answer to a request is to name nobody. */
export function hidesNames(res: Response): boolean {
  return res.locals.hidesNames === true;
}

/** Parameters that look for a name: their answers would tell whose an id is. */
const BY_NAME = ['q', 'operator'];

/** True when a request looks by a name or an address for somebody whom its reader may not know. */
export function looksForHidden(
  res: Response,
  params: Readonly<Record<string, unknown>>,
  filters: Readonly<Record<string, unknown>>,
): boolean {
  if (!hidesNames(res)) return false;
  if (BY_NAME.some((name) => filters[name] !== undefined)) return true;
  return params.key !== undefined && !isId(String(params.key));
}
