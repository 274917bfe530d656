import { z } from 'zod';
import { choice, duration, secretList, textList, wholeNumber } from '../kinds.ts';

/** The SCIM interface for identity providers. */
export const scimSchema = z.strictObject({
  tokens: secretList({ charactersMin: 16 })
    .prefault([])
    .describe(
      'Tokens of identity providers, sent as `Bearer <token>` or bare. Named tokens (`scim-bridge token create`) and OAuth clients (`scim-bridge client create`) work too. With the sandbox and no token the start makes one and prints it.',
    ),
  writeWait: duration({ min: '0', max: '60s' })
    .prefault('3s')
    .describe(
      'How long a write waits for the service. After that the provider gets 2xx and the bridge delivers the change later.',
    ),
  whenUpstreamIsDown: choice(['accept', 'refuse'])
    .prefault('accept')
    .describe(
      'A write while the service is down: `accept` stores it and delivers it later, `refuse` answers 503.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 100_000 })
    .prefault(500)
    .describe(
      'Most requests a second of one credential; more are 429. After a pause as many may come at once. 0 means no limit. Each process counts for itself.',
    ),
});

/** Treatment of users. */
export const usersSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe(
      'If the account exists already: `yes` takes it over at the first write. `refuse` and `ask` answer 409 to a POST and 403 otherwise. `ask` also lists each attempt to create it under `disputes` of `/ops/status`.',
    ),
  adoptOnDelete: choice(['refuse', 'yes'])
    .prefault('refuse')
    .describe(
      'A DELETE of an unmanaged account: `refuse` answers 403, because some providers delete accounts that they do not know. `yes` takes it over and deactivates it, if `users.adopt` allows that.',
    ),
  deactivation: choice(['scim', 'temporarilyInactive'])
    .prefault('scim')
    .describe('How a person is deactivated: through SCIM, or by suspending the account.'),
});

/** Treatment of groups. */
export const groupsSchema = z.strictObject({
  adopt: choice(['yes', 'refuse', 'ask'])
    .prefault('yes')
    .describe('If the group exists already: as `users.adopt`.'),
  adoptOnDelete: choice(['refuse', 'yes'])
    .prefault('refuse')
    .describe('A DELETE of an unmanaged group: as `users.adoptOnDelete`.'),
  deletion: choice(['created', 'never'])
    .prefault('created')
    .describe('Which groups a DELETE removes from the service: those the bridge created, or none.'),
  permissionsMax: wholeNumber({ min: 0, max: 2_147_483_647 })
    .prefault(0)
    .describe('Mask of the permission bits that a provider may set; other bits are 403.'),
});

/** Users whom the bridge never takes over, deactivates or demotes by itself. */
export const protectSchema = z.strictObject({
  users: textList('userNames or e-mail addresses, `*` stands for any text')
    .prefault([])
    .describe(
      'These users are never adopted automatically. No provider, rule or repair takes their access, licences or admin rights. They stay protected when they are renamed.',
    ),
  groups: textList('names of groups, `*` stands for any text')
    .prefault([])
    .describe(
      'These groups are never adopted automatically. No provider, rule or repair takes their permissions, and no provider deletes them or removes their admins. They stay protected when they are renamed.',
    ),
});
