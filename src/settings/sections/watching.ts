import { z } from 'zod';
import { driftPolicy } from '../drift-policy.ts';
import { duration, durationOrZero, wholeNumber } from '../kinds.ts';

/** Times of the comparison of the service with the store. */
export const sweepSchema = z.strictObject({
  interval: durationOrZero({ min: '1s', max: '30d' })
    .prefault('1h')
    .describe(
      'How often the whole service is compared with the store, and at the start; 0 means only when an operator asks. What follows from what it finds is `drift.policy`.',
    ),
  adminsEvery: wholeNumber({ min: 1, max: 1_000 })
    .prefault(6)
    .describe('Admin lists, one call a group, are read in every n-th sweep only.'),
});

/** Differences that count as drift, and the action for each. */
export const driftSchema = z.strictObject({
  settle: duration({ min: '0', max: '1h' })
    .prefault('60s')
    .describe(
      'How long after a change of its own the bridge waits before it looks a second time at a difference.',
    ),
  policy: driftPolicy()
    .prefault('report')
    .describe(
      'What is done about a difference: `report` shows it, `repair` brings the service to what is desired, `accept` takes what the service holds as what is desired. One word for all kinds, or for each kind by name and `default` for the others. See [drift.md](drift.md).',
    ),
});

/** Harm of one kind that repairs may do in 24 hours before an operator is asked. */
function harmLimit(harm: string) {
  return z
    .strictObject({
      count: wholeNumber({ min: 0, max: 1_000_000 })
        .prefault(20)
        .describe(`${harm}: how many in 24 hours without asking.`),
      percent: wholeNumber({ min: 0, max: 100 })
        .prefault(10)
        .describe(`${harm}: how many of all whom it could concern, in percent, without asking.`),
    })
    .prefault({});
}

/** Limits above which a plan waits for an operator. */
export const limitsSchema = z.strictObject({
  deactivate: harmLimit('Users whom repairs deactivate, and users whom they let in'),
  removeMember: harmLimit('Members whom repairs remove from groups, and members whom they add'),
  demoteAdmin: harmLimit('Admins whom repairs demote, and admins whom they promote'),
  cutAccess: harmLimit(
    'Users and groups whose licences or permissions repairs cut, and those whose they widen',
  ),
  deleteGroup: harmLimit('Groups that repairs delete'),
  provider: wholeNumber({ min: 0, max: 1_000_000 })
    .prefault(100)
    .describe(
      'How many removals of one kind (users, places in groups, or groups) identity providers may make in 24 hours, each counted once. Further ones wait in a plan for an operator where they are also more than `limits.providerPercent`; 0 switches the limit off, and `/readyz` reports harm as `provider-harm` alone.',
    ),
  providerPercent: wholeNumber({ min: 0, max: 100 })
    .prefault(25)
    .describe(
      'How many removals of one kind identity providers may make in 24 hours, in percent of all whom it could concern; 0: `limits.provider` decides alone.',
    ),
  populationMin: wholeNumber({ min: 1, max: 1_000_000 })
    .prefault(50)
    .describe('From how many on a percentage counts.'),
});
