import type { RequestHandler } from 'express';
import type { ScimDeps } from '../deps.ts';
import { unavailable } from '../errors.ts';

/** Stops what cannot be answered truthfully yet: "not found" would make a provider create duplicates. @throws ScimError 503 */
export function assertOpen({ findClosed }: ScimDeps, type: 'user' | 'group'): void {
  const closed = findClosed(type);
  if (closed) throw unavailable(closed.detail, closed.retryAfterSeconds);
}

/** `assertOpen` in front of the routes of one type. */
export function requireOpen(deps: ScimDeps, type: 'user' | 'group'): RequestHandler {
  return (_req, _res, next) => {
    assertOpen(deps, type);
    next();
  };
}
