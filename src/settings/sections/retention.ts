import { z } from 'zod';
import { duration, durationOrZero, wholeNumber } from '../kinds.ts';

/** Time that the past is kept. */
export const retentionSchema = z.strictObject({
  ledger: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe(
      'How long the bridge keeps its own calls. A restored backup that is older than this is not recognised.',
    ),
  ledgerRowsMax: wholeNumber({ min: 1_000, max: 100_000_000 })
    .prefault(1_000_000)
    .describe(
      'Most calls that are kept, the newest. Those of the last two days are always kept. A row takes about 0.5 KB.',
    ),
  audit: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long events of the audit log are kept, with author and address.'),
  auditRowsMax: wholeNumber({ min: 1_000, max: 100_000_000 })
    .prefault(1_000_000)
    .describe('Most events that are kept, the newest. Those of the last two days are always kept.'),
  requests: duration({ min: '1h', max: '3650d' })
    .prefault('7d')
    .describe(
      'How long requests of providers are kept for `scim-bridge requests`: which attributes, never values.',
    ),
  requestRowsMax: wholeNumber({ min: 0, max: 10_000_000 })
    .prefault(100_000)
    .describe('Most requests that are kept, the newest; 0 means none.'),
  acts: duration({ min: '1d', max: '3650d' })
    .prefault('365d')
    .describe('How long acts of operators are kept for `scim-bridge acts`.'),
  actRowsMax: wholeNumber({ min: 1_000, max: 10_000_000 })
    .prefault(100_000)
    .describe('Most acts and outages that are kept, the newest.'),
  drifts: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long ended drifts and disputed names are shown after they were last seen.'),
  plans: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe('How long ended sweeps and plans are shown.'),
  tombstones: durationOrZero({ min: '1d', max: '3650d' })
    .prefault('90d')
    .describe(
      'How long the bridge keeps the names of deleted users and groups. After that only ids remain. 0 means for ever.',
    ),
});
