import express, {
  type ErrorRequestHandler,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { type AdmissionLimits, createAdmission, type TurnedAway } from '../../domain/admission.ts';
import { assertUtf8, toCount } from '../../domain/text.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { IssuerUnreadable } from '../assertion/issuer-keys.ts';
import type { AssertionDeps } from '../assertion/prove.ts';
import { AssertionRefused, type RefusalReason } from '../assertion/refused.ts';
import type { AttemptAnswer, Attempts } from '../attempts.ts';
import { toFailedAttempt } from '../failed-request.ts';
import { OAuthError, TooMany } from './errors.ts';
import { ACCESS_TOKEN_MS, issue, proveClient } from './issue.ts';
import { assertGranted, parseTokenRequest, SCOPE } from './parse-request.ts';

/** More than any request for a token needs: an assertion, and some words. */
const BODY_MAX = '16kb';
const FORM = 'application/x-www-form-urlencoded';
const RETRY_SECONDS = 5;

/** Dependencies of `createOAuthRouter`. */
export interface OAuthDeps extends AssertionDeps {
  readonly attempts: Pick<Attempts, 'failed'>;
  /** Limits of the requests of one client. */
  readonly limits: AdmissionLimits;
  /** Called with the reason of each request that is answered later, or not at all. */
  readonly turnedAway: (why: TurnedAway) => void;
  /** Called for each assertion that is not taken. */
  readonly refused: (fields: AssertionRefusal) => void;
  /** Called for errors that are the bridge's own fault. */
  readonly failed: (fields: { requestId: string; error: unknown }) => void;
}

/** An assertion that was not taken. */
interface AssertionRefusal {
  readonly requestId: string;
  readonly clientId: string | undefined;
  readonly reason: RefusalReason;
}

/**
 * `POST /token`: gives an access token for the id of a client and a secret or an assertion. Mounted at `/oauth`.
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
  const admission = createAdmission(deps.limits, deps.clock);
  return async (req, res) => {
    const { authorization } = req.headers;
    const form = typeof req.body === 'string' ? req.body : undefined;
    const { proof, grantType, scope } = parseTokenRequest({ authorization, form });
    const proven = await proveClient(deps, proof);
    assertGranted(grantType, scope);
    // Only who has proven to be a client uses up its limits, so that no stranger can.
    const why = admission.begin(proven.clientId);
    if (why !== undefined) throw turnAway(why, deps);
    res.once('close', () => admission.end(proven.clientId));
    const { text } = await issue(deps, proven);
    res.json({
      access_token: text,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_MS / 1_000,
      scope: SCOPE,
    });
  };
}

function turnAway(why: TurnedAway, { limits, turnedAway }: OAuthDeps): TooMany {
  turnedAway(why);
  const { perSecond, concurrentMax } = limits;
  const words =
    why === 'rate' ? `${toCount(perSecond, 'request')} a second` : `${concurrentMax} at once`;
  return new TooMany(`More than ${words}.`, 1);
}

function answerErrors({ attempts, failed, refused }: OAuthDeps): ErrorRequestHandler {
  return async (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const { status, known } = toAnswer(error);
    if (error instanceof AssertionRefused) {
      const { clientId, reason } = error;
      refused({ requestId: getRequestId(res), clientId, reason });
    }
    if (status === 401) {
      const attempt = toFailedAttempt(res, { place: 'oauth', presented: 'something' });
      return answerStranger(res, known, await attempts.failed(attempt));
    }
    // The log has a line of its own for an issuer that is down.
    const isOurs = status >= 500 && !(error instanceof IssuerUnreadable);
    if (isOurs) failed({ requestId: getRequestId(res), error });
    if (status === 503) res.setHeader('Retry-After', String(RETRY_SECONDS));
    if (error instanceof TooMany) res.setHeader('Retry-After', String(error.retryAfterSeconds));
    sendError(res, status, known);
  };
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
  if (error instanceof TooMany) return { status: 429, known: error };
  if (error instanceof OAuthError) {
    return { status: error.code === 'invalid_client' ? 401 : 400, known: error };
  }
  if (error instanceof StoreError || error instanceof IssuerUnreadable) {
    const words = error instanceof StoreError ? NO_STORE : NO_KEYS;
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

const NO_STORE = 'The store of the bridge cannot be used now.';
const NO_KEYS = 'The keys that prove this assertion cannot be read now.';

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
