import type { LiveCredential } from '../store/credentials/credentials.ts';

/** Time before an expiry from which on it is reported, in milliseconds. */
const SOON_MS = 30 * 24 * 3_600_000;

/** Facts about credentials that an operator should know. */
export interface AccessFacts {
  /** True when any identity provider could connect. */
  readonly hasProvider: boolean;
  /** Named tokens and secrets that end within 30 days or have ended, and are not revoked. */
  readonly expiring: readonly LiveCredential[];
  /** Requests without a valid credential in the last ten minutes, in this process. */
  readonly failedAttempts: number;
}

/** Derives the facts from the live credentials of a store. `now` is epoch milliseconds. */
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
