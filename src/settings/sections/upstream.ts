import { z } from 'zod';
import { choice, duration, httpUrl, proxyUrl, secret, size, wholeNumber } from '../kinds.ts';

/** The work-management service, and facts about it that its documents leave open. */
export const upstreamSchema = z.strictObject({
  url: httpUrl()
    .optional()
    .describe(
      'Base address of the service. If not set, the bridge serves and uses an embedded sandbox.',
    ),
  token: secret({ charactersMin: 1 })
    .optional()
    .describe(
      'API token of the service, required with `upstream.url`. `scim-bridge check` lists the rights that its owner needs.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 1_000 })
    .prefault(5)
    .describe(
      'Most calls a second, of all processes on the store together. Give each process the same number. 0 means no limit. The service allows 5.',
    ),
  apiVersion: choice(['latest', 'v1'])
    .prefault('latest')
    .describe('The version in the paths of REST calls.'),
  proxy: proxyUrl().optional().describe('HTTP proxy for every call to the service.'),
  timeout: duration({ min: '100ms', max: '5m' })
    .prefault('10s')
    .describe(
      'How long the bridge waits for an answer to begin and to continue. A call with its repeats may take three times as long.',
    ),
  responseBytesMax: size({ min: '64KiB', max: '1GiB' })
    .prefault('16MiB')
    .describe('The bridge refuses a longer answer and then reads lists in smaller pages.'),
  pageSize: wholeNumber({ min: 1, max: 500 })
    .prefault(100)
    .describe('Entries per page when the bridge reads a list of the service.'),
  membersPerCall: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('Most members that one PATCH of a group adds or removes.'),
  attemptsBeforeStuck: wholeNumber({ min: 2, max: 1_000 })
    .prefault(10)
    .describe(
      'After so many failures, while other changes succeed, an accepted change is stuck: it is reported and tried about once an hour. Ten attempts take about eight minutes.',
    ),
  emailForm: choice(['auto', 'strings', 'objects'])
    .prefault('auto')
    .describe('The form of `emails` when a user is created; `auto` finds out and remembers.'),
  nameOnCreate: choice(['auto', 'yes', 'no'])
    .prefault('auto')
    .describe(
      'Whether the service accepts the name at creation, which saves a second call; `auto` finds out and remembers.',
    ),
  memberForm: choice(['auto', 'operations', 'array', 'single'])
    .prefault('auto')
    .describe(
      'How one PATCH names several members: one operation each, one array, or one member per call; `auto` finds out and remembers.',
    ),
  groupScimId: choice(['auto', 'restId', 'uid'])
    .prefault('auto')
    .describe('The REST id that equals the SCIM id of a group; `auto` finds out and remembers.'),
  filter: choice(['auto', 'no'])
    .prefault('auto')
    .describe('Whether the bridge uses filters of the service; `no` reads the whole list instead.'),
  userNameUpdates: choice(['auto', 'no'])
    .prefault('auto')
    .describe('`auto` offers a changed userName to the service once. `no` keeps it in the bridge.'),
});
