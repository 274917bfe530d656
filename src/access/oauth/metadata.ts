import type { RequestHandler } from 'express';
import { ASSERTION_ALGORITHMS } from '../../domain/trust.ts';
import { GRANT, SCOPE } from './parse-request.ts';

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** How long the description may be kept, in seconds. */
const KEPT_SECONDS = 3_600;

/**
 * `GET /.well-known/oauth-authorization-server`: says how to get an access token. If the bridge has a path of its own,
 * also with that path behind it.
 * @param issuer the bridge as its clients reach it, without a slash at the end
 * @see RFC 8414 §3
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
      const error_description = 'Only GET is possible here.';
      res.set('Allow', 'GET').status(405).json({ error: 'invalid_request', error_description });
      return;
    }
    res.set('Cache-Control', `public, max-age=${KEPT_SECONDS}`).json(metadata);
  };
}
