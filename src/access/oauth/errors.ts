import { BridgeError } from '../../domain/errors.ts';

/** Codes of RFC 6749 §5.2; the last two come from §4.1.2.1, because a token endpoint has no others for them. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'server_error';

/** A refused request for an access token. The caller is shown the message. */
export class OAuthError extends BridgeError {
  override readonly name = 'OAuthError';
  override readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.code = code;
  }
}

/** A client that asks for more than it may have; answered with 429. */
export class TooMany extends OAuthError {
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super('temporarily_unavailable', message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
