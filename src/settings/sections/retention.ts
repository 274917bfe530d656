import { z } from 'zod';
import { duration, durationOrZero, wholeNumber } from '../kinds.ts';

/** Time that the past is kept. */
export const retentionSchema = z.strictObject({
  ledger: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe(
      'How long the bridge remembers which changes of the service were its own. A backup that is older than this cannot be recognised when it is restored.',
    ),
  ledgerRowsMax: wholeNumber({ min: 1_000, max: 100_000_000 })
    .prefault(1_000_000)
    .describe(
      'How many of these changes are remembered, the newest; those of the last two days are kept however many they are. A row takes about 0.5 KB.',
    ),
  audit: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long events of the audit log are kept, with who made them and from where.'),
  auditRowsMax: wholeNumber({ min: 1_000, max: 100_000_000 })
    .prefault(1_000_000)
    .describe(
      'How many of these events are kept, the newest; those of the last two days are kept however many they are.',
    ),
  requests: duration({ min: '1h', max: '3650d' })
    .prefault('7d')
    .describe(
      'How long it is kept what providers wrote and what they were refused, for `GET /ops/requests`: which attributes, never their values.',
    ),
  requestRowsMax: wholeNumber({ min: 0, max: 10_000_000 })
    .prefault(100_000)
    .describe('How many of these requests are kept, the newest; 0: none.'),
  acts: duration({ min: '1d', max: '3650d' })
    .prefault('365d')
    .describe(
      'How long it is kept what operators did, for `scim-bridge acts`: with which credential, from where, on whom, with what outcome.',
    ),
  actRowsMax: wholeNumber({ min: 1_000, max: 10_000_000 })
    .prefault(100_000)
    .describe('How many of these acts, with the outages beside them, are kept, the newest.'),
  drifts: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe(
      'How long drifts that are over and names in dispute are shown, since they were last seen.',
    ),
  plans: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long sweeps and plans that have ended are shown.'),
  tombstones: durationOrZero({ min: '1d', max: '3650d' })
    .prefault('90d')
    .describe(
      'How long after their deletion the bridge knows the names of deleted users and groups. Then nothing is left of them but the ids under which the service may still hold them. 0 means for ever.',
    ),
});
