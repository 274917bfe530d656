import { z } from 'zod';
import { duration, durationOrZero } from '../kinds.ts';

/** Time that the past is kept. */
export const retentionSchema = z.strictObject({
  ledger: duration({ min: '1d', max: '3650d' })
    .prefault('30d')
    .describe(
      'How long calls, events of the audit log, requests (which attributes, never values), and ended drifts, sweeps and plans are kept. A restored backup that is older than this is not recognised.',
    ),
  acts: duration({ min: '1d', max: '3650d' })
    .prefault('365d')
    .describe('How long acts of operators are kept for `scim-bridge acts`.'),
  tombstones: durationOrZero({ min: '1d', max: '3650d' })
    .prefault('90d')
    .describe(
      'How long the bridge keeps the names of deleted users and groups. After that only ids remain. 0 means for ever.',
    ),
});
