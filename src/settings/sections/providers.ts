import { z } from 'zod';
import { choice, duration, secretList, size, textList, wholeNumber } from '../kinds.ts';

/** The SCIM interface for identity providers. */
export const scimSchema = z.strictObject({
  tokens: secretList({ charactersMin: 16 })
    .prefault([])
    .describe(
      'What identity providers present, as `Bearer <token>` or bare, beside named tokens (`scim-bridge token create`) and OAuth clients (`scim-bridge client create`). Without any of them one is made up and printed in front of the embedded sandbox.',
    ),
  writeWait: duration({ min: '0', max: '60s' })
    .prefault('3s')
    .describe('How long a write waits for the service before it is acknowledged as accepted.'),
  whenUpstreamIsDown: choice(['accept', 'refuse'])
    .prefault('accept')
    .describe(
      'A write while the service is known to be down: `accept` keeps it and delivers it later, `refuse` answers 503 and keeps nothing.',
    ),
  pageSize: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('How many resources a list holds when the request names no `count`.'),
  pageSizeMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe('The most resources that one page of a list holds, whatever `count` says.'),
  bulkOperationsMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe('More operations in one bulk request are answered with 413.'),
  patchOperationsMax: wholeNumber({ min: 1, max: 10_000 })
    .prefault(1_000)
    .describe(
      'More operations in one PATCH are answered with 400; those that add or remove members by their ids do not count.',
    ),
  resourceBytesMax: size({ min: '16KiB', max: '1MiB' })
    .prefault('256KiB')
    .describe(
      'A write that makes a user larger than this, as JSON, is answered with 400. Of one that is larger already, whatever adds no text may be written.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 100_000 })
    .prefault(500)
    .describe(
      'Requests a second of one credential; after a pause as many at once. What is more is answered with 429. 0 means no limit. Each process counts for itself.',
    ),
  concurrentMax: wholeNumber({ min: 1, max: 100_000 })
    .prefault(1_000)
    .describe(
      'Requests of one credential that may be under way at the same time; one more is answered with 429. Each process counts for itself.',
    ),
});

/** Treatment of users. */
export const usersSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe(
      'An account that already exists in the service: `yes` takes it over at the first write, `refuse` and `ask` answer 409 to POST and 403 otherwise; `ask` also shows each attempt to create it under `disputes` of `/ops/status`.',
    ),
  adoptOnDelete: choice(['refuse', 'yes'])
    .prefault('refuse')
    .describe(
      'A DELETE of an account that the bridge does not manage: `refuse` answers 403, because some providers delete accounts that they do not know; `yes` takes it over and deactivates it, where `users.adopt` allows that.',
    ),
  deactivation: choice(['scim', 'temporarilyInactive'])
    .prefault('scim')
    .describe('How a person is deactivated: through SCIM, or by suspending the account.'),
});

/** Treatment of groups. */
export const groupsSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe('A group that already exists in the service, as `users.adopt`.'),
  adoptOnDelete: choice(['refuse', 'yes'])
    .prefault('refuse')
    .describe('A DELETE of a group that the bridge does not manage, as `users.adoptOnDelete`.'),
  deletion: choice(['created', 'never'])
    .prefault('created')
    .describe('Which groups a DELETE removes from the service: those the bridge created, or none.'),
  permissionsMax: wholeNumber({ min: 0, max: 2_147_483_647 })
    .prefault(0)
    .describe(
      'Mask of the permission bits that a provider may set; any other bit is answered with 403.',
    ),
});

/** Users whom the bridge never takes over, deactivates or demotes by itself. */
export const protectSchema = z.strictObject({
  users: textList('userNames or e-mail addresses, `*` stands for any text')
    .prefault([])
    .describe(
      'Users who are never adopted automatically, and from whom no provider, rule or repair takes access, licences or a place among admins. They stay protected when they are renamed.',
    ),
  groups: textList('names of groups, `*` stands for any text')
    .prefault([])
    .describe(
      'Groups that are never adopted automatically, and from which no provider, rule or repair takes permissions; no provider deletes them or takes admins from them. They stay protected when they are renamed.',
    ),
});
