import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import express, { Router } from 'express';
import { ASSERTION_ALGORITHMS } from '../../domain/credential.ts';
import { assertUtf8, toCount } from '../../domain/values.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { Events } from '../../telemetry/events.ts';
import { getRequestId, whenClosed } from '../../telemetry/request-context.ts';
import type { AdmissionLimits } from '../admission.ts';
import { createAdmission } from '../admission.ts';
import type { AssertionDeps } from '../assertion/assertion.ts';
import { AssertionRefused } from '../assertion/assertion.ts';
import { IssuerUnreadable } from '../assertion/issuer-keys.ts';
import type { Attempts } from '../attempts.ts';
import { createRarely } from '../attempts.ts';
import { Refusal } from '../refusal.ts';
import { ACCESS_TOKEN_MS, issue, proveClient } from './issue.ts';
import { assertGranted, GRANT, parseTokenRequest, SCOPE } from './parse-request.ts';

/** More than any request for a token needs: an assertion, and some words. */
const BODY_MAX = '16kb';
const FORM = 'application/x-www-form-urlencoded';

interface OAuthDeps extends AssertionDeps {
  readonly attempts: Pick<Attempts, 'failed'>;
  /** Limits of the requests of one client. */
  readonly limits: AdmissionLimits;
  readonly events: Pick<Events, 'turnedAway' | 'assertionRefused' | 'requestFailed'>;
}

/** `POST /oauth/token`: an access token for the id of a client and a secret or an assertion. @see RFC 6749 §4.4, §5 */
export function createOAuthRouter(deps: OAuthDeps): Router {
  const router = Router();
  const body = express.text({ type: FORM, limit: BODY_MAX, verify: assertUtf8 });
  router.use('/token', (_req, res, next) => {
    // @see RFC 6749 §5.1
    res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    next();
  });
  router
    .route('/token')
    .post(body, answerToken(deps))
    .all((_req, res) => {
      res.setHeader('Allow', 'POST');
      sendRefusal(res, new Refusal(405, 'invalid_request', 'Only POST is possible here.'));
    });
  router.use(answerErrors(deps));
  return router;
}

function answerToken(deps: OAuthDeps): RequestHandler {
  const admission = createAdmission(deps.limits, deps.clock);
  return async (req, res) => {
    const form = typeof req.body === 'string' ? req.body : undefined;
    const { proof, grantType, scope } = parseTokenRequest(req.headers.authorization, form);
    const proven = await proveClient(deps, proof, res);
    assertGranted(grantType, scope);
    // Only who has proven to be a client uses up its limits, so that no stranger can.
    const why = admission.begin(proven.clientId);
    if (why !== undefined) {
      deps.events.turnedAway({ reason: why });
      const { perSecond, concurrentMax } = deps.limits;
      const rate = `${toCount(perSecond, 'request')} a second`;
      throw tooMany(`More than ${why === 'rate' ? rate : `${concurrentMax} at once`}.`, 1);
    }
    whenClosed(res, () => admission.end(proven.clientId));
    const text = await issue(deps, proven);
    res.json({
      access_token: text,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_MS / 1_000,
      scope: SCOPE,
    });
  };
}

/** Refusal of a client that asks for more than it may have. */
function tooMany(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'temporarily_unavailable', message, { retryAfterSeconds });
}

function answerErrors({ attempts, clock, events }: OAuthDeps): ErrorRequestHandler {
  const rarely = createRarely();
  return async (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    const requestId = getRequestId(res);
    const refusal = toRefusal(error);
    if (error instanceof AssertionRefused) {
      const { clientId: credential, reason } = error;
      const tries = rarely.take(`${credential} ${reason}`, clock.now());
      if (tries > 0) events.assertionRefused({ requestId, credential, reason, attempts: tries });
    }
    if (refusal.status === 401) {
      const retryAfterSeconds = await attempts.failed(res, 'oauth', 'something');
      if (retryAfterSeconds !== undefined) {
        const words = 'Too many requests name no valid client.';
        return sendRefusal(res, tooMany(words, retryAfterSeconds));
      }
      res.setHeader('WWW-Authenticate', 'Basic realm="oauth"');
    }
    // The log has a line of its own for an issuer that is down.
    if (refusal.status >= 500 && !(error instanceof IssuerUnreadable))
      events.requestFailed({ requestId, error });
    sendRefusal(res, refusal);
  };
}

/** Maps an error to what is answered. @see RFC 6749 §5.2; codes for a bridge that cannot are those of §4.1.2.1 */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreError) {
    const words = 'The store of the bridge cannot be used now.';
    return new Refusal(503, 'temporarily_unavailable', words, { retryAfterSeconds: 5 });
  }
  // The status that express gives a body it cannot read.
  const { status } = Object(error);
  return typeof status === 'number' && status < 500
    ? new Refusal(status, 'invalid_request', 'The body cannot be read.')
    : new Refusal(500, 'server_error', 'The bridge failed.');
}

function sendRefusal(res: Response, { status, code, message, retryAfterSeconds }: Refusal): void {
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(retryAfterSeconds));
  res.status(status).json({ error: code, error_description: message });
}

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** How long the description may be kept, in seconds. */
const KEPT_SECONDS = 3_600;

/**
 * `GET /.well-known/oauth-authorization-server`, also with the bridge's own path behind it. @param issuer the bridge as
 * its clients reach it, without a slash at the end @see RFC 8414 §3
 */
export function showMetadata(issuer: string, tokenEndpoint: string): RequestHandler {
  const metadata = {
    issuer,
    token_endpoint: tokenEndpoint,
    grant_types_supported: [GRANT],
    // Required by RFC 8414 §2; there is no endpoint for authorisation.
    response_types_supported: [],
    scopes_supported: [SCOPE],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  };
  const own = new URL(issuer).pathname.replace(/\/$/, '');
  return (req, res, next) => {
    if (req.path !== WELL_KNOWN && req.path !== WELL_KNOWN + own) return next();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET');
      return sendRefusal(res, new Refusal(405, 'invalid_request', 'Only GET is possible here.'));
    }
    res.set('Cache-Control', `public, max-age=${KEPT_SECONDS}`).json(metadata);
  };
}
