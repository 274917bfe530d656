import { z } from 'zod';
import { choice, textList } from '../kinds.ts';
import { receiverList } from '../receiver-list.ts';

/** Receivers of notifications. */
export const notifySchema = z.strictObject({
  receivers: receiverList()
    .prefault([])
    .describe(
      'Programs and chats that get a message when a reason of `/readyz` begins or ends, a plan waits, others change the service, a credential expires, or a leaver is not out in time. See [runbook.md](runbook.md#notifications).',
    ),
  hosts: textList('names of hosts separated by commas; `*` stands for any text')
    .prefault([])
    .describe('Hosts of receivers. A receiver on another host stops the start.'),
  privateAddresses: choice(['refuse', 'allow'])
    .prefault('refuse')
    .describe('`allow`: a receiver may have a private or local address, without TLS.'),
});
