import type { Request, Response } from 'express';
import { getRequestId } from '../telemetry/request-context.ts';
import type { FailedAttempt, Place } from './attempts.ts';

/** Describes a request without a valid credential. */
export function toFailedAttempt(
  req: Request,
  res: Response,
  { place, presented }: Pick<FailedAttempt, 'presented'> & { readonly place: Place },
): FailedAttempt {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return {
    place,
    presented,
    // The word of a proxy counts only where the settings trust it: any client can write a header.
    remoteAddress: req.ip ?? '',
    requestId: getRequestId(res),
    signal: gone.signal,
  };
}
