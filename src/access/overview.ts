import type { LiveCredential } from '../store/live-credentials.ts';

/** From how long before on an expiry is told, in milliseconds. */
const SOON_MS = 30 * 24 * 3_600_000;

/** What of credentials an operator should know. */
export interface AccessFacts {
  /** Whether any provider could come in. */
  readonly hasProvider: boolean;
  /** Named tokens and secrets that end within 30 days or have ended, and are not revoked. */
  readonly expiring: readonly LiveCredential[];
  /** Requests without a valid credential within ten minutes, in this process. */
  readonly failedAttempts: number;
}

/** What of the live credentials of a store an operator should know. `now` is epoch milliseconds. */
export function toAccessFacts(
  live: readonly LiveCredential[],
  { now, isGiven, failedAttempts }: { now: number; isGiven: boolean; failedAttempts: number },
): AccessFacts {
  const isValid = ({ expiresAt }: LiveCredential) => expiresAt === null || expiresAt > now;
  const isProvider = ({ purpose }: LiveCredential) => purpose === 'scim' || purpose === 'client';
  return {
    hasProvider: isGiven || live.some((one) => isProvider(one) && isValid(one)),
    expiring: live.filter(({ expiresAt }) => expiresAt !== null && expiresAt - now <= SOON_MS),
    failedAttempts,
  };
}
