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

/** Harm of one kind that repairs may do in 24 hours before an operator is asked. */
function harmLimit(harm: string) {
  return z
    .strictObject({
      count: wholeNumber({ min: 0, max: 1_000_000 })
        .prefault(20)
        .describe(`${harm}: most in 24 hours without approval.`),
      percent: wholeNumber({ min: 0, max: 100 })
        .prefault(10)
        .describe(`${harm}: most in percent of all concerned without approval.`),
    })
    .prefault({});
}

/** Limits above which a plan waits for an operator. */
export const limitsSchema = z.strictObject({
  deactivate: harmLimit('Users whom repairs deactivate, and users whom they activate'),
  removeMember: harmLimit('Members whom repairs remove from groups, and members whom they add'),
  demoteAdmin: harmLimit('Admins whom repairs demote, and admins whom they promote'),
  cutAccess: harmLimit(
    'Users and groups whose licences or permissions repairs reduce, and those that they extend',
  ),
  deleteGroup: harmLimit('Groups that repairs delete'),
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
  populationMin: wholeNumber({ min: 1, max: 1_000_000 })
    .prefault(50)
    .describe('A percentage counts from so many concerned on.'),
});
