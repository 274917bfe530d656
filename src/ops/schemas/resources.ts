import { z } from 'zod';
import { STAGED } from '../../domain/provider.ts';
import { parseFields } from '../../domain/values.ts';
import { Handling } from './access.ts';
import { MATCH_KEYS, OBSTACLE_WORDS, t } from './kinds.ts';

/** Kinds of findings. `only-…`: in this one alone. `not-…`: in both others. `duplicate`: one is two. */
const CENSUS_KINDS = [
  'only-provider',
  'only-bridge',
  'only-service',
  'not-provider',
  'not-bridge',
  'not-service',
  'differs',
  'duplicate',
  'of-other',
] as const;

const staged = t.orNull(t.word(STAGED), 'Why the service gets nothing of it; null: it does.');
const owner = t.textOrNull('The provider that manages it; null: it is only observed.');

const resource = {
  id: t.text('The SCIM id.'),
  name: t.text('The userName, or the displayName of a group.'),
  origin: t.orNull(t.word(['created', 'adopted']), 'null: it is only observed.'),
  provider: owner,
  staged,
  deleted: t.flag(),
  version: t.count('The ETag, as a number.'),
  createdAt: t.moment(),
  modifiedAt: t.moment(),
  seenAt: t.momentOrNull('When it was last seen to change, or was looked at.'),
  pending: t.list(t.text(), 'What the service does not hold yet.'),
  bridgeOnly: t.list(t.text(), 'What only the bridge keeps.'),
  dueAt: t.momentOrNull('When something is done next.'),
  attempts: t.count('Attempts in a row that failed.'),
  problem: t.orNull(t.serviceWords, 'Why the last one failed.'),
  stuckSince: t.momentOrNull('Since when something acknowledged is refused.'),
  drifts: t.count('Differences in the service that nobody asked for.'),
  disputed: t.flag(),
};

export const User = t.object({
  ...resource,
  upstreamId: t.orNull(t.whole(), 'The id of the account.'),
  active: t.object({
    desired: t.orNull(t.flag(), 'null: not ours to say.'),
    observed: t.orNull(t.flag(), 'null: unknown.'),
  }),
});

export const Group = t.object({
  ...resource,
  upstreamIds: t.object({
    scimId: t.textOrNull(),
    restId: t.orNull(t.whole()),
    uid: t.textOrNull(),
  }),
});

/** States of a field, as docs/drift.md explains them. */
const STANDINGS = [
  'settled',
  'pending',
  'stuck',
  'drifted',
  'held',
  'bridge only',
  'unknown',
  'not ours',
] as const;

export const Member = t.object({
  id: t.text(),
  name: t.text(),
  desired: t.orNull(t.flag()),
  observed: t.orNull(t.flag()),
  from: t.textOrNull(),
  standing: t.word(STANDINGS),
});

export const Field = t.object({
  field: t.text(),
  desired: t.anything(),
  observed: t.anything(),
  from: t.textOrNull('`provider`, a rule with its text, or `service`.'),
  standing: t.word(STANDINGS),
  note: t.optional(t.text()),
});

const head = {
  type: t.resourceType(),
  id: t.text(),
  name: t.text(),
  managed: t.word(['created', 'adopted', 'no']),
  deleted: t.flag(),
};

export const Happening = t.object({
  at: t.moment(),
  source: t.word(['provider', 'operator', 'bridge', 'audit', 'outage', 'seen', 'drift']),
  text: t.text('What happened, a short sentence.'),
  others: t.list(t.named, 'The groups of a person, the people of a group.'),
  detail: z.record(z.string(), t.anything()).describe('The same for programs, by its source.'),
});

const value = (about?: string) => t.orNull(z.union([z.string(), z.boolean()]), about);
export const Finding = t.object({
  kind: t.word(CENSUS_KINDS, 'As in docs/go-live.md.'),
  by: t.orNull(t.word(MATCH_KEYS), 'The key that found the person.'),
  entries: t.parts('Of the file.', {
    row: t.count('In the file, where the first line is 1.'),
    name: t.textOrNull(),
  }),
  people: t.list(t.named, 'Of the bridge and the service, with the SCIM id.'),
  provider: t.textOrNull('The provider of the person; null: only observed, or two.'),
  differences: t.parts('Attributes that differ.', {
    attribute: t.text(),
    provider: value(),
    bridge: value('null: it has none.'),
    service: value('Of `active` alone; null: it has none.'),
  }),
});

export const HandoverItem = t.object({
  type: t.resourceType(),
  id: t.textOrNull('The SCIM id, which stays; null: nobody here.'),
  name: t.textOrNull(),
  outcome: t.word(
    ['handed-over', 'ambiguous', 'only-here', 'only-file'],
    '`ambiguous`, `only-here`: it stays.',
  ),
  by: t.orNull(t.word(MATCH_KEYS), 'The key that found it.'),
  row: t.countOrNull('Of the file.'),
  externalId: t.textOrNull('The one of the other provider, from the file.'),
});

export const ImportItem = t.object({
  type: t.resourceType(),
  row: t.count('Of the file.'),
  formerId: t.text('The id of the earlier server.'),
  id: t.textOrNull('The SCIM id of the bridge; null: nobody, or not sure.'),
  name: t.textOrNull(),
  outcome: t.word(
    ['imported', 'known', 'taken', 'ambiguous', 'only-file'],
    '`taken`: another person or group has it.',
  ),
});

export const UserList = t.listOf(User);
export const GroupList = t.listOf(Group);
export const MemberList = t.listOf(Member);
export const AdoptBody = t.object({
  privileged: t.optionalFlag('Also who is protected, and a group with rights.'),
  provider: t.optionalText('Manages it from then on; `default` when left out.'),
});
export const Explanation = t.object({
  ...head,
  upstream: t.textOrNull(),
  provider: owner,
  staged,
  handling: t.orNull(Handling, 'How requests of its provider are taken.'),
  version: t.count(),
  seen: t.partOrNull(null, { at: t.moment(), by: t.text() }),
  dueAt: t.momentOrNull(),
  problem: t.orNull(t.serviceWords),
  fields: t.list(Field),
  groups: t.optional(t.list(Member), 'Of a person.'),
  members: t.optional(
    t.object({
      desired: t.count(),
      observed: t.count(),
      pending: t.count('Those that wait, the stuck among them.'),
      stuck: t.count('Those that the service refuses.'),
      differing: t.count('Those that differ in the service, while nothing waits.'),
    }),
    'Of a group.',
  ),
  admins: t.optional(t.list(Member), 'Of a group.'),
  more: t.count('Groups or admins beyond those that are listed.'),
});
export const Timeline = t.object({
  ...head,
  items: t.list(Happening),
  more: t.flag('There is more before the first of them.'),
});
export const EraseBody = t.object({ dryRun: t.optionalFlag('Nothing is erased.') });
export const Erasure = t.object({
  id: t.text('The SCIM id.'),
  userName: t.text('`erased` when it was done before.'),
  account: t.orNull(t.whole(), 'The id in the service.'),
  deleted: t.flag(),
  staysHidden: t.flag('A tombstone of ids stays, so that no list brings the person back.'),
  obstacles: t.parts('What has to be done first.', {
    code: t.word(parseFields<keyof typeof OBSTACLE_WORDS>(OBSTACLE_WORDS)),
    detail: t.text(),
  }),
  rows: t.countOrNull('Other rows that spoke of the person; null: nothing was erased.'),
});
export const Census = t.object({
  provider: t.text(),
  sweptAt: t.momentOrNull('When the whole service was last read; null: at the first read.'),
  items: t.list(Finding),
  entries: t.count('People of the file.'),
  people: t.count('People of the provider in the bridge.'),
  accounts: t.count('Accounts that the service was last seen to hold.'),
  agreeing: t.count('People of the file about whom all three agree.'),
  kinds: t.counts('Findings of each kind.'),
});
export const Handover = t.object({
  from: t.text(),
  to: t.text(),
  planId: t.textOrNull('The plan that waits; null: none was made.'),
  hash: t.textOrNull('What `approve` is to be given.'),
  counts: t.counts('How many there are of each outcome.'),
  items: t.list(HandoverItem),
});
export const IdImport = t.object({
  provider: t.text(),
  dryRun: t.flag(),
  counts: t.counts('How many there are of each outcome.'),
  items: t.list(ImportItem),
});
