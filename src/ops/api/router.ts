import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import { EXACT_JSON } from '../body.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { toApiFailure } from './failure.ts';
import { findOperation } from './find-operation.ts';
import { parseCall } from './parse-call.ts';

/** A call with its files, which travel as base64: 12 MB of them. */
const BODY_MAX = '16mb';

/** How an operator reaches the service. */
export interface ApiSource {
  /** @throws TypeError when the arguments do not fit; UpstreamError when the call fails */
  readonly call: (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown>;
  /** Told of each call when it has ended; no value of it is. */
  readonly told: (call: EndedCall, res: Response) => void;
}

/** Which operation an operator called, from where, and how that ended. */
export interface EndedCall {
  readonly operation: string;
  readonly remoteAddress: string;
  /** `done`, or the code of the error. */
  readonly result: string;
}

/**
 * `POST /{group}/{operation}` with `{ path, query, body, files }` calls the service as the bridge does, in the same
 * budget, and answers `{ "result": … }`. 400 when the arguments do not fit, 415 when they are no JSON, 404 for an unknown operation, 502 with
 * the status and the words of a service that refuses, 503 and 504 when it could not be asked or did not answer.
 */
export function createApiRouter(source: ApiSource): Router {
  const router = Router();
  const body = express.json({ limit: BODY_MAX, ...EXACT_JSON, type: [...JSON_TYPES] });
  router.post('/:group/:operation', assertReadable, body, async (req, res) => {
    const id = `${req.params.group}.${req.params.operation}`;
    const found = findOperation(id);
    res.set('Cache-Control', 'no-store');
    if (found.kind === 'unknown') {
      const message = `There is no operation ${id}.`;
      res.status(404).json({ code: 'unknown-operation', message, near: found.near });
      return;
    }
    await answerCall(source, found.operation, { req, res });
  });
  return router;
}

const JSON_TYPES = ['json', '+json'] as const;

/**
 * What is not read would be a call without its arguments, which may change more: 415 for a body of another type, 400 for
 * parameters in the address.
 */
const assertReadable: RequestHandler<{ group: string; operation: string }> = (req, res, next) => {
  const [parameter] = Object.keys(req.query);
  if (parameter !== undefined) {
    throw new InvalidRequest(
      'A call takes no parameters in the address: send { path, query, body } as JSON.',
    );
  }
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const hasBody = encoding !== undefined || Number(length ?? 0) > 0;
  if (!hasBody || req.is([...JSON_TYPES]) !== false) return next();
  const message = 'The body has to be JSON, and say so: Content-Type: application/json.';
  res.status(415).json({ code: 'invalid', message });
};

async function answerCall(
  { call, told }: ApiSource,
  operation: Operation,
  { req, res }: { req: Request; res: Response },
): Promise<void> {
  const ended = { operation: operation.id, remoteAddress: req.ip ?? '' };
  // Who does not wait for the answer any more has no call that waits for its turn.
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  try {
    const args = parseCall(operation, req.body);
    const result = await call(operation, args, { signal: gone.signal });
    told({ ...ended, result: 'done' }, res);
    res.json({ result: result ?? null });
  } catch (error) {
    if (error instanceof TypeError) {
      res.status(400).json({ code: 'invalid', message: error.message });
      return;
    }
    if (!(error instanceof UpstreamError)) throw error;
    told({ ...ended, result: error.code }, res);
    res.status(toStatus(error)).json(toApiFailure(error));
  }
}

function toStatus({ code, status }: UpstreamError): number {
  if (status !== undefined) return 502;
  return code === 'timeout' ? 504 : 503;
}
