import { BridgeError } from '../../domain/errors.ts';

/** @see RFC 6749 §5.2, and §4.1.2.1 for the last two, which a token endpoint has no other words for */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'server_error';

/** A request for an access token that is refused. The message is shown to whoever asked. */
export class OAuthError extends BridgeError {
  override readonly name = 'OAuthError';
  override readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.code = code;
  }
}
