import type { RequestHandler } from 'express';
import { ScimError, unavailable } from '../errors.ts';

/** Reason why a part of the server cannot answer yet, or not at all for now. */
export interface Closed {
  readonly detail: string;
  readonly retryAfterSeconds: number;
}

/** Tells why users or groups cannot be served now; undefined: they can. */
export type FindClosed = (type: 'user' | 'group') => Closed | undefined;

/** Last handler of a route: any other method answers 405 and lists the allowed ones. @see RFC 9110 §15.5.6 */
export function allowOnly(...methods: readonly string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return (_req, res) => {
    res.setHeader('Allow', allowed.join(', '));
    throw new ScimError(405, `Possible here: ${methods.join(', ')}.`);
  };
}

/**
 * Stops a request that cannot be answered truthfully yet: "not found" would make a provider create duplicates.
 * @throws ScimError 503
 */
export function assertOpen(
  { findClosed }: { readonly findClosed: FindClosed },
  type: 'user' | 'group',
): void {
  const closed = findClosed(type);
  if (closed) throw unavailable(closed.detail, closed.retryAfterSeconds);
}

/** `assertOpen` in front of the routes of one type. */
export function requireOpen(
  deps: { readonly findClosed: FindClosed },
  type: 'user' | 'group',
): RequestHandler {
  return (_req, _res, next) => {
    assertOpen(deps, type);
    next();
  };
}
