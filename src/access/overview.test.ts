import { expect, test } from 'vitest';
import type { LiveCredential } from '../store/credentials/tokens.ts';
import { toAccessFacts } from './overview.ts';

const DAY_MS = 24 * 3_600_000;
const now = 1_000 * DAY_MS;
const okta: LiveCredential = { name: 'okta', purpose: 'scim', expiresAt: now + 31 * DAY_MS };
const nothing = { now, isGiven: false, failedAttempts: 0 };

const rows: { why: string; live: LiveCredential[]; hasProvider: boolean; expiring: number }[] = [
  { why: 'nothing lets nobody in', live: [], hasProvider: false, expiring: 0 },
  { why: 'in 31 days is not soon', live: [okta], hasProvider: true, expiring: 0 },
  {
    why: 'in 30 days is soon',
    live: [{ ...okta, expiresAt: now + 30 * DAY_MS }],
    hasProvider: true,
    expiring: 1,
  },
  {
    why: 'never is not soon',
    live: [{ ...okta, expiresAt: null }],
    hasProvider: true,
    expiring: 0,
  },
  {
    why: 'what has expired lets nobody in, and is told until it is revoked',
    live: [{ ...okta, expiresAt: now }],
    hasProvider: false,
    expiring: 1,
  },
  {
    why: 'a client is a provider',
    live: [{ ...okta, purpose: 'client' }],
    hasProvider: true,
    expiring: 0,
  },
  {
    why: 'an operator is none',
    live: [{ ...okta, purpose: 'operator', expiresAt: now + 1 }],
    hasProvider: false,
    expiring: 1,
  },
];
for (const { why, live, hasProvider, expiring } of rows) {
  test(`what is told of credentials: ${why}`, () => {
    const facts = toAccessFacts(live, nothing);

    expect([facts.hasProvider, facts.expiring.length]).toEqual([hasProvider, expiring]);
  });
}

test('a token of the settings is a provider', () => {
  expect(toAccessFacts([], { ...nothing, isGiven: true }).hasProvider).toBe(true);
});
