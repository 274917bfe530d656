import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { assertUtf8 } from '../../domain/text.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import type { AttemptAnswer, Attempts, FailedAttempt } from '../attempts.ts';
import { toFailedAttempt } from '../failed-request.ts';
import { OAuthError } from './errors.ts';
import { type IssueDeps, issue, proveClient } from './issue.ts';
import { assertGranted, parseTokenRequest } from './parse-request.ts';

/** More than any request for a token needs. */
const BODY_MAX = '8kb';
const FORM = 'application/x-www-form-urlencoded';
const RETRY_SECONDS = 5;

/** Dependencies of `createOAuthRouter`. */
export interface OAuthDeps extends IssueDeps {
  readonly attempts: Pick<Attempts, 'failed'>;
  /** Called for errors that are the bridge's own fault. */
  readonly failed: (fields: { requestId: string; error: unknown }) => void;
}

/**
 * `POST /token`: gives an access token for the id and a secret of a client. Mounted at `/oauth`.
 * @see RFC 6749 §4.4 (client credentials), §5 (answers)
 */
export function createOAuthRouter(deps: OAuthDeps): Router {
  const router = Router();
  const body = express.text({ type: FORM, limit: BODY_MAX, verify: assertUtf8 });
  router.use('/token', keepNothing);
  router.route('/token').post(body, answerToken(deps)).all(refuseMethod);
  router.use(answerErrors(deps));
  return router;
}

/** Forbids caches to keep a token. @see RFC 6749 §5.1 */
const keepNothing: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  next();
};

const refuseMethod: RequestHandler = (_req, res) => {
  res.setHeader('Allow', 'POST');
  sendError(res, 405, { code: 'invalid_request', message: 'Only POST is possible here.' });
};

function answerToken(deps: OAuthDeps): RequestHandler {
  return async (req, res) => {
    const { authorization } = req.headers;
    const form = typeof req.body === 'string' ? req.body : undefined;
    const { credentials, grantType, scope } = parseTokenRequest({ authorization, form });
    const proven = await proveClient(deps, credentials);
    assertGranted(grantType, scope);
    const { text, lifetimeMs } = await issue(deps, proven);
    res.json({
      access_token: text,
      token_type: 'Bearer',
      expires_in: Math.floor(lifetimeMs / 1_000),
      scope: 'scim',
    });
  };
}

function answerErrors({ attempts, failed }: OAuthDeps): ErrorRequestHandler {
  return async (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const { status, known } = toAnswer(error);
    if (status === 401)
      return answerStranger(res, known, await attempts.failed(toAttempt(req, res)));
    if (status >= 500) failed({ requestId: getRequestId(res), error });
    if (status === 503) res.setHeader('Retry-After', String(RETRY_SECONDS));
    sendError(res, status, known);
  };
}

function toAttempt(req: Request, res: Response): FailedAttempt {
  return toFailedAttempt(req, res, { place: 'oauth', presented: 'something' });
}

function answerStranger(res: Response, known: OAuthError, answer: AttemptAnswer): void {
  if (answer.kind === 'too-many') {
    res.setHeader('Retry-After', String(answer.retryAfterSeconds));
    const message = 'Too many requests name no valid client.';
    sendError(res, 429, { code: 'temporarily_unavailable', message });
    return;
  }
  res.setHeader('WWW-Authenticate', 'Basic realm="oauth"');
  sendError(res, 401, known);
}

/** Maps an error to its answer. @see RFC 6749 §5.2 */
function toAnswer(error: unknown): { status: number; known: OAuthError } {
  if (error instanceof OAuthError) {
    return { status: error.code === 'invalid_client' ? 401 : 400, known: error };
  }
  if (error instanceof StoreError) {
    const words = 'The store of the bridge cannot be used now.';
    return {
      status: 503,
      known: new OAuthError('temporarily_unavailable', words, { cause: error }),
    };
  }
  const status = findStatus(error);
  if (status === undefined || status >= 500) {
    return {
      status: 500,
      known: new OAuthError('server_error', 'The bridge failed.', { cause: error }),
    };
  }
  return {
    status,
    known: new OAuthError('invalid_request', 'The body cannot be read.', { cause: error }),
  };
}

/** The status that express gives a body it cannot read. */
function findStatus(error: unknown): number | undefined {
  const isTold = error instanceof Error && 'status' in error && typeof error.status === 'number';
  return isTold ? Number(error.status) : undefined;
}

function sendError(
  res: Response,
  status: number,
  { code, message }: Pick<OAuthError, 'code' | 'message'>,
): void {
  res.status(status).json({ error: code, error_description: message });
}
