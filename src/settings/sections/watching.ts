import { z } from 'zod';
import { driftPolicy } from '../drift-policy.ts';
import { duration, durationOrZero, wholeNumber } from '../kinds.ts';

/** Times of the comparison of the service with the store. */
export const sweepSchema = z.strictObject({
  interval: durationOrZero({ min: '1s', max: '30d' })
    .prefault('1h')
    .describe(
      'How often the whole service is compared with the store. A start compares too. 0 means only when an operator asks. `drift.policy` says what follows.',
    ),
  adminsEvery: wholeNumber({ min: 1, max: 1_000 })
    .prefault(6)
    .describe('Admin lists cost one call per group. Every n-th sweep reads them.'),
});

/** Differences that count as drift, and the action for each. */
export const driftSchema = z.strictObject({
  settle: duration({ min: '0', max: '1h' })
    .prefault('60s')
    .describe('How long after its own change the bridge waits before it confirms a difference.'),
  policy: driftPolicy()
    .prefault('report')
    .describe(
      'What to do about drift: `report` shows it, `repair` brings the service to what is wanted, `accept` takes what the service holds as wanted. One word for all kinds, or one per kind with `default` for the others. See [drift.md](drift.md).',
    ),
});

/** Limits above which a plan waits for an operator. */
export const limitsSchema = z.strictObject({
  repair: wholeNumber({ min: 0, max: 1_000_000 })
    .prefault(20)
    .describe(
      'Most changes of one kind of harm (people deactivated, members removed, admins demoted, access cut, groups deleted), or of its opposite, that repairs make in 24 hours without approval.',
    ),
  repairPercent: wholeNumber({ min: 0, max: 100 })
    .prefault(10)
    .describe('The same in percent of all concerned, if they are at least 50.'),
  provider: wholeNumber({ min: 0, max: 1_000_000 })
    .prefault(100)
    .describe(
      'Most removals of one kind (users, memberships or groups) by identity providers in 24 hours, each counted once. More wait in a plan if they are also above `limits.providerPercent`. 0 switches the limit off; `/readyz` still reports `provider-harm`.',
    ),
  providerPercent: wholeNumber({ min: 0, max: 100 })
    .prefault(25)
    .describe(
      'The same in percent of all concerned; 0 means that `limits.provider` decides alone.',
    ),
});
