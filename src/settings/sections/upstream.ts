import { z } from 'zod';
import { choice, duration, httpUrl, proxyUrl, secret, size, wholeNumber } from '../kinds.ts';

/** The work-management service, and facts about it that its documents leave open. */
export const upstreamSchema = z.strictObject({
  url: httpUrl()
    .optional()
    .describe(
      'Base address of the service. Without it the embedded sandbox is served on loopback and used instead.',
    ),
  token: secret({ charactersMin: 1 })
    .optional()
    .describe(
      'API token of the service; required with `upstream.url`. Its owner needs the rights that `scim-bridge check` lists.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 1_000 })
    .prefault(5)
    .describe(
      'The rate that is never exceeded, on PostgreSQL by all processes on the store together; the same for each of them. 0 means no limit. The service allows 5.',
    ),
  apiVersion: choice(['latest', 'v1'])
    .prefault('latest')
    .describe('The version in the paths of REST calls.'),
  proxy: proxyUrl().optional().describe('HTTP proxy for every call to the service.'),
  timeout: duration({ min: '100ms', max: '5m' })
    .prefault('10s')
    .describe(
      'How long the service may take to begin an answer, and to go on with it; a call with its repeats may take three times that.',
    ),
  responseBytesMax: size({ min: '64KiB', max: '1GiB' })
    .prefault('16MiB')
    .describe('A longer answer is refused; lists are then read in smaller pages.'),
  pageSize: wholeNumber({ min: 1, max: 500 })
    .prefault(100)
    .describe('How many entries of a list are asked for at once.'),
  membersPerCall: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('How many members one PATCH of a group adds or removes.'),
  attemptsBeforeStuck: wholeNumber({ min: 2, max: 1_000 })
    .prefault(10)
    .describe(
      'How often a change that was accepted may fail, while the service makes others, until it is stuck: told, and tried about once an hour from then on. Ten attempts take about eight minutes.',
    ),
  emailForm: choice(['auto', 'strings', 'objects'])
    .prefault('auto')
    .describe('How `emails` is written when a user is created; `auto` finds out and remembers.'),
  nameOnCreate: choice(['auto', 'yes', 'no'])
    .prefault('auto')
    .describe(
      'Whether the service takes the name when a user is created, which saves the second call.',
    ),
  memberForm: choice(['auto', 'operations', 'array', 'single'])
    .prefault('auto')
    .describe(
      'How one PATCH names many members: one operation for each, one array of values, or one member a call.',
    ),
  groupScimId: choice(['auto', 'restId', 'uid'])
    .prefault('auto')
    .describe('Which REST id of a group its SCIM id equals.'),
  filter: choice(['auto', 'no'])
    .prefault('auto')
    .describe('Whether the service filters lists of users; `no` never asks it to.'),
  userNameUpdates: choice(['auto', 'no'])
    .prefault('auto')
    .describe(
      'Whether a changed userName is offered to the service once; `no` keeps it in the bridge.',
    ),
});
