import { z } from 'zod';
import { choice, textList } from '../kinds.ts';
import { receiverList } from '../receiver-list.ts';

/** Receivers of notifications. */
export const notifySchema = z.strictObject({
  receivers: receiverList()
    .prefault([])
    .describe(
      'Programs and channels that are told when a reason of `/readyz` begins and ends, a plan waits, others change the service, a credential expires, or a leaver is not out in time. See [runbook.md](runbook.md#notifications).',
    ),
  hosts: textList('names of hosts separated by commas; `*` stands for any text')
    .prefault([])
    .describe('The hosts that receivers may be on; a receiver on another one stops the start.'),
  privateAddresses: choice(['refuse', 'allow'])
    .prefault('refuse')
    .describe(
      'Whether a receiver may have an address of a private network or of this machine, and be spoken to without TLS: `allow` for one of your own.',
    ),
});
