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
    // Never a header: any client can write one.
    remoteAddress: req.socket.remoteAddress ?? '',
    requestId: getRequestId(res),
    signal: gone.signal,
  };
}
