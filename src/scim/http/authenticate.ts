import type { RequestHandler } from 'express';
import { createTokenFinder } from '../../domain/token-check.ts';
import { getRequestId } from '../../telemetry/request-context.ts';
import { ScimError } from '../errors.ts';
import { note } from '../requests/noted.ts';

/** What authentication tells telemetry. */
export interface AuthenticationTelemetry {
  heard(): void;
  credentialsWrong(fields: { requestId: string; remoteAddress: string }): void;
}

/**
 * Lets a request through that presents one of the tokens, as `Bearer <token>` or, as one provider
 * sends it, bare.
 * @throws ScimError 401 with `WWW-Authenticate`. @see RFC 6750 §3
 */
export function authenticate(
  tokens: readonly string[],
  telemetry: AuthenticationTelemetry,
): RequestHandler {
  const find = createTokenFinder(tokens);
  return (req, res, next) => {
    const presented = findToken(req.headers.authorization);
    const place = presented === undefined ? -1 : find(presented);
    if (place >= 0) {
      telemetry.heard();
      note(res, { credential: place + 1 });
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
    next(new ScimError(401, detail));
  };
}

function findToken(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  const token = /^bearer(?:\s+|$)/i.test(text) ? text.slice('bearer'.length).trim() : text;
  return token === '' ? undefined : token;
}
