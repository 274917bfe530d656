import type { RequestHandler } from 'express';
import type { FindCredential } from '../../access/credential.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { ScimError } from '../errors.ts';
import { setCredential } from './credential.ts';

/** What authentication tells telemetry. */
export interface AuthenticationTelemetry {
  heard(): void;
  credentialsWrong(fields: { requestId: string; remoteAddress: string }): void;
}

/**
 * Lets a request through that presents a token for SCIM, as `Bearer <token>` or, as one provider sends it, bare.
 * @throws ScimError 401 with `WWW-Authenticate`; StoreError when the token could not be looked up. @see RFC 6750 §3
 */
export function authenticate(
  find: FindCredential,
  telemetry: AuthenticationTelemetry,
): RequestHandler {
  return async (req, res, next) => {
    const presented = findToken(req.headers.authorization);
    const credential = presented === undefined ? undefined : await find(presented);
    if (credential?.purpose === 'scim') {
      telemetry.heard();
      setCredential(res, credential);
      return next();
    }
    telemetry.credentialsWrong({
      requestId: getRequestId(res),
      remoteAddress: req.socket.remoteAddress ?? '',
    });
    const challenge = presented === undefined ? '' : ', error="invalid_token"';
    res.setHeader('WWW-Authenticate', `Bearer realm="scim"${challenge}`);
    const detail =
      presented === undefined
        ? 'The request has no token in its Authorization header.'
        : 'The token in the Authorization header is not valid.';
    throw new ScimError(401, detail);
  };
}

function findToken(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  const token = /^bearer(?:\s+|$)/i.test(text) ? text.slice('bearer'.length).trim() : text;
  return token === '' ? undefined : token;
}
