import { OAuthError } from '../oauth/errors.ts';
import { NO_CLIENT } from '../oauth/parse-request.ts';

/** Reason why an assertion is not taken, for the log of the bridge alone. */
export type RefusalReason =
  | 'malformed'
  | 'type'
  | 'critical'
  | 'algorithm'
  | 'unknown-client'
  | 'no-trust'
  | 'unknown-key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'subject'
  | 'claim'
  | 'no-expiry'
  | 'expired'
  | 'not-yet-valid'
  | 'too-long-lived'
  | 'no-id'
  | 'replayed';

/** A wrong assertion. The caller is shown the same words whatever is wrong. @see RFC 7521 §4.2.1 */
export class AssertionRefused extends OAuthError {
  readonly reason: RefusalReason;
  /** The client that it was presented for; undefined: none that is known. */
  readonly clientId: string | undefined;
  constructor(reason: RefusalReason, clientId?: string, options?: { cause?: unknown }) {
    super('invalid_client', NO_CLIENT, options);
    this.reason = reason;
    this.clientId = clientId;
  }
}
