import type { RequestHandler } from 'express';
import type { Attempts } from '../../access/attempts.ts';
import { toFailedAttempt } from '../../access/failed-request.ts';
import type { FindCredential } from '../../access/lookup.ts';
import { ScimError } from '../errors.ts';
import type { RepairKind } from '../repairs.ts';
import { createRequestRepairs } from '../repairs.ts';
import { note } from './notes.ts';

/** Parts that authentication needs. */
interface AuthenticationDeps {
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly telemetry: {
    /** A request with a valid token came. */
    heard(): void;
    repaired(kind: RepairKind): void;
  };
}

/**
 * Lets a request through that presents a token for SCIM, as `Bearer <token>` or, as one provider sends it, bare.
 * @throws ScimError 401 with `WWW-Authenticate`, 429; StoreError when the token could not be looked up. @see RFC 6750 §3
 */
export function authenticate({
  findCredential,
  attempts,
  telemetry,
}: AuthenticationDeps): RequestHandler {
  return async (req, res, next) => {
    const token = findToken(req.headers.authorization);
    const credential = token === undefined ? undefined : await findCredential(token);
    if (credential?.purpose === 'scim') {
      telemetry.heard();
      const { id, profile, provider } = credential;
      const repairs = createRequestRepairs(telemetry, profile);
      note(res, { credential: id, profile, provider, repairs });
      return next();
    }
    const presented = token === undefined ? 'nothing' : 'something';
    const attempt = toFailedAttempt(res, { place: 'scim', presented });
    const answer = await attempts.failed(attempt);
    if (answer.kind === 'too-many') {
      const { retryAfterSeconds } = answer;
      throw new ScimError(429, 'Too many requests have no valid token.', { retryAfterSeconds });
    }
    throw toRefusal(presented, (challenge) => res.setHeader('WWW-Authenticate', challenge));
  };
}

function toRefusal(
  presented: 'nothing' | 'something',
  setChallenge: (challenge: string) => void,
): ScimError {
  if (presented === 'nothing') {
    setChallenge('Bearer realm="scim"');
    return new ScimError(401, 'The request has no token in its Authorization header.');
  }
  setChallenge('Bearer realm="scim", error="invalid_token"');
  return new ScimError(401, 'The token in the Authorization header is not valid.');
}

function findToken(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  const token = /^bearer(?:\s+|$)/i.test(text) ? text.slice('bearer'.length).trim() : text;
  return token === '' ? undefined : token;
}
