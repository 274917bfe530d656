import type { ErrorRequestHandler, Response } from 'express';
import { BridgeError } from '../../domain/errors.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { isNamed } from '../../upstream/operations/part.ts';

/** An operator's request that cannot be understood: 400, because nothing may be guessed. */
export class InvalidRequest extends BridgeError {
  override readonly name = 'InvalidRequest';
  constructor(message: string) {
    super('invalid', message);
  }
}

/** Reports a fault of the bridge. */
export type TellFailed = (fields: { requestId: string; error: unknown }) => void;

const RETRY_SECONDS = 5;

/**
 * Turns an error of a handler into an answer as JSON: 400 or 413 `invalid` for a request that cannot be understood, is no
 * JSON or is too long, 503 `store-unusable`, 500 `failed`. The last handler of each application: behind it Express would
 * write the error, with what it quotes, beside the log.
 */
export function answerErrors(failed: TellFailed): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    if (res.headersSent) {
      failed({ requestId: getRequestId(res), error });
      res.destroy();
      return;
    }
    const status = findStatus(error);
    if (status !== undefined && status < 500) {
      const message = error instanceof Error ? error.message : 'The body cannot be read.';
      res.status(status).json({ code: 'invalid', message });
      return;
    }
    failed({ requestId: getRequestId(res), error });
    if (error instanceof StoreError) return answerUnusable(res);
    res.status(500).json({ code: 'failed', message: 'The bridge failed; its log says why.' });
  };
}

/** Answers 503: the store does not answer now. */
export function answerUnusable(res: Response): void {
  const message = 'The store of the bridge cannot be used now.';
  res.set('Retry-After', String(RETRY_SECONDS));
  res.status(503).json({ code: 'store-unusable', message });
}

function findStatus(error: unknown): number | undefined {
  if (error instanceof InvalidRequest) return 400;
  return isNamed(error) && typeof error.status === 'number' ? error.status : undefined;
}
