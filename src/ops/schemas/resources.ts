import { z } from 'zod';
import { CENSUS_KINDS, MATCH_KEYS } from '../../domain/census.ts';
import { OBSTACLES } from '../../domain/erasure.ts';
import { HANDOVER_OUTCOMES, IMPORT_OUTCOMES } from '../../domain/handover.ts';
import { handling } from './access.ts';
import {
  anything,
  count,
  countOrNull,
  counts,
  flag,
  list,
  listOf,
  moment,
  momentOrNull,
  named,
  object,
  optional,
  optionalFlag,
  optionalText,
  orNull,
  resourceType,
  serviceWords,
  text,
  textOrNull,
  whole,
  word,
} from './kinds.ts';

const owner = textOrNull('The provider that manages it; null: it is only observed.');

const resource = {
  id: text('The SCIM id.'),
  name: text('The userName, or the displayName of a group.'),
  origin: orNull(word(['created', 'adopted']), 'null: it is only observed.'),
  provider: owner,
  deleted: flag(),
  version: count('The ETag, as a number.'),
  createdAt: moment(),
  modifiedAt: moment(),
  seenAt: momentOrNull('When it was last seen to change, or was looked at.'),
  pending: list(text(), 'What the service does not hold yet.'),
  bridgeOnly: list(text(), 'What only the bridge keeps.'),
  dueAt: momentOrNull('When something is done next.'),
  attempts: count('Attempts in a row that failed.'),
  problem: orNull(serviceWords, 'Why the last one failed.'),
  stuckSince: momentOrNull('Since when something acknowledged is refused.'),
  drifts: count('Differences in the service that nobody asked for.'),
  disputed: flag(),
};

const user = object({
  ...resource,
  upstreamId: orNull(whole(), 'The id of the account.'),
  active: object({
    desired: orNull(flag(), 'null: not ours to say.'),
    observed: orNull(flag(), 'null: unknown.'),
  }),
});

const group = object({
  ...resource,
  upstreamIds: object({ scimId: textOrNull(), restId: orNull(whole()), uid: textOrNull() }),
});

/**
 * States of a field: `settled` (the service holds it), `pending`, `stuck` (the service refused it after it was
 * acknowledged), `drifted` (changed in the service), `held` (differs, and waits in a plan),
 * `bridge only` (the service cannot hold it), `unknown` (not seen yet),
 * `not ours` (never set, or the resource is not managed).
 */
export const STANDINGS = [
  ...(['settled', 'pending', 'stuck', 'drifted', 'held'] as const),
  ...(['bridge only', 'unknown', 'not ours'] as const),
] as const;

const link = object({
  id: text(),
  name: text(),
  desired: orNull(flag()),
  observed: orNull(flag()),
  from: textOrNull(),
  standing: word(STANDINGS),
});

const field = object({
  field: text(),
  desired: anything(),
  observed: anything(),
  from: textOrNull('`provider`, a rule with its text, or `service`.'),
  standing: word(STANDINGS),
  note: optional(text()),
});

const head = {
  type: resourceType(),
  id: text(),
  name: text(),
  managed: word(['created', 'adopted', 'no']),
  deleted: flag(),
};

const happening = object({
  at: moment(),
  source: word(['provider', 'operator', 'bridge', 'audit', 'outage', 'seen', 'drift']),
  text: text('What happened, a short sentence.'),
  others: list(named, 'The groups of a person, the people of a group.'),
  detail: z
    .record(z.string(), anything())
    .describe('The same for programs; what is in it follows from the source.'),
});

const value = (about?: string) => orNull(z.union([z.string(), z.boolean()]), about);
const finding = object({
  kind: word(
    CENSUS_KINDS,
    '`only-…`: in this one of the three alone; `not-…`: in the other two; `duplicate`: one is two; `of-other`: another provider manages the person.',
  ),
  by: orNull(word(MATCH_KEYS), 'The key that found the person.'),
  entries: list(
    object({ row: count('In the file, where the first line is 1.'), name: textOrNull() }),
    'Of the file.',
  ),
  people: list(named, 'Of the bridge and the service, with the SCIM id.'),
  provider: textOrNull('The provider of the person; null: only observed, or two.'),
  differences: list(
    object({
      attribute: text(),
      provider: value(),
      bridge: value('null: it has none.'),
      service: value('null: it has none, or it is not compared.'),
    }),
    'Attributes that differ.',
  ),
});

const handoverItem = object({
  type: resourceType(),
  id: textOrNull('The SCIM id, which stays; null: nobody here.'),
  name: textOrNull(),
  outcome: word(
    HANDOVER_OUTCOMES,
    '`handed-over`: it goes to the other provider; `ambiguous`, `only-here`: it stays; `only-file`: the other provider has it, and nobody here is it.',
  ),
  by: orNull(
    word(MATCH_KEYS),
    'The key that found it; `externalId`: `formerExternalId` of the file.',
  ),
  row: countOrNull('Of the file.'),
  externalId: textOrNull('The one of the other provider, from the file.'),
});

const importItem = object({
  type: resourceType(),
  row: count('Of the file.'),
  formerId: text('The id of the earlier server.'),
  id: textOrNull('The SCIM id of the bridge; null: nobody, or not sure.'),
  name: textOrNull(),
  outcome: word(
    IMPORT_OUTCOMES,
    '`imported`: the bridge answers by it; `known`: it did already; `taken`: somebody else has it.',
  ),
});

/** Users and groups, why each is as it is, and lists of them that somebody else keeps. */
export const resourceSchemas = {
  User: user,
  UserList: listOf(user),
  Group: group,
  GroupList: listOf(group),
  Member: link,
  MemberList: listOf(link),
  AdoptBody: object({
    privileged: optionalFlag(
      'Also an owner, somebody protected, a group with permissions or admins.',
    ),
    provider: optionalText('The provider that manages it from then on; `default` when left out.'),
  }),
  Field: field,
  Explanation: object({
    ...head,
    upstream: textOrNull(),
    provider: owner,
    handling: orNull(handling, 'How requests of its provider are taken.'),
    version: count(),
    seen: orNull(object({ at: moment(), by: text() })),
    dueAt: momentOrNull(),
    problem: orNull(serviceWords),
    fields: list(field),
    groups: optional(list(link), 'Of a person.'),
    members: optional(
      object({
        desired: count(),
        observed: count(),
        pending: count('Those that wait, the stuck among them.'),
        stuck: count('Those that the service refuses.'),
        differing: count('Those that differ in the service, while nothing waits.'),
      }),
      'Of a group.',
    ),
    admins: optional(list(link), 'Of a group.'),
    more: count('Groups or admins beyond those that are listed.'),
  }),
  Happening: happening,
  Timeline: object({
    ...head,
    items: list(happening),
    more: flag('There is more before the first of them.'),
  }),
  Erasure: object({
    id: text('The SCIM id.'),
    userName: text('`erased` when it was done before.'),
    account: orNull(whole(), 'The id in the service.'),
    deleted: flag(),
    staysHidden: flag(
      'A tombstone of ids alone stays, so that no list of the service brings the person back.',
    ),
    obstacles: list(
      object({ code: word(OBSTACLES), detail: text() }),
      'What has to be done first; nothing is erased while there is anything.',
    ),
    rows: countOrNull(
      'Rows beside the person that said something of them; null: nothing was erased.',
    ),
  }),
  Finding: finding,
  Census: object({
    provider: text(),
    sweptAt: momentOrNull(
      'When the service was last read as a whole; null: only when the bridge first met it.',
    ),
    items: list(finding),
    entries: count('People of the file.'),
    people: count('People of the provider in the bridge.'),
    accounts: count('Accounts that the service was last seen to hold.'),
    agreeing: count('People of the file about whom all three agree.'),
    kinds: counts('Findings of each kind.'),
  }),
  HandoverItem: handoverItem,
  Handover: object({
    from: text(),
    to: text(),
    planId: textOrNull('The plan that waits; null: none was made.'),
    hash: textOrNull('What `approve` is to be given.'),
    counts: counts('How many there are of each outcome.'),
    items: list(handoverItem),
  }),
  ImportItem: importItem,
  IdImport: object({
    provider: text(),
    dryRun: flag(),
    counts: counts('How many there are of each outcome.'),
    items: list(importItem),
  }),
};
