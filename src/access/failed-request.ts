import type { Response } from 'express';
import { getRequestContext } from '../telemetry/request-context.ts';
import type { FailedAttempt, Place } from './attempts.ts';

/** Describes a request without a valid credential. */
export function toFailedAttempt(
  res: Response,
  { place, presented }: Pick<FailedAttempt, 'presented'> & { readonly place: Place },
): FailedAttempt {
  const { remoteAddress, requestId } = getRequestContext(res);
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return {
    place,
    presented,
    ...{ remoteAddress, requestId },
    signal: gone.signal,
  };
}
