import { z } from 'zod';
import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import { LINK_LISTS } from '../../domain/link.ts';
import { t } from './kinds.ts';

const state = (meaning: string) => t.orNull(z.record(z.string(), t.anything()), meaning);

export const Act = t.object({
  id: t.text(),
  at: t.moment(),
  operator: t.text('The name of the credential.'),
  credential: t.textOrNull('Its id.'),
  address: t.textOrNull('The address of the client; see `trustProxy`.'),
  act: t.text('What was done, as its command: `plan approve`.'),
  request: t.textOrNull('The method and the pattern of the route.'),
  requestId: t.textOrNull(),
  target: t.textOrNull('Id of the user, group, drift, plan, token, client; name of a provider.'),
  outcome: t.word(['done', 'refused', 'failed']),
  status: t.orNull(t.whole(), 'null: there was no answer yet.'),
  before: state('What the act changed, before it; null: nothing is known of it.'),
  after: state('The same after it.'),
});

const toAsked = (meaning: string) =>
  t.partOrNull(meaning, {
    at: t.moment('Arrival of the request.'),
    credential: t.text('As in `/ops/requests`.'),
    credentialName: t.textOrNull(),
    requestId: t.text(),
  });

export const Leaver = t.object({
  person: t.named,
  status: t.word(LEAVER_STATUSES, '`waits`: not seen to be out; `back`: let in again.'),
  asked: toAsked('null: the request is not kept any more.'),
  acceptedAt: t.moment(),
  sent: t.partOrNull('The newest call; null: none was needed, or is kept.', {
    at: t.moment(),
    operation: t.text(),
    outcome: t.orNull(t.word(['done', 'refused', 'unknown', 'not-sent'])),
    error: t.textOrNull(),
  }),
  seenAt: t.momentOrNull('When a look after that showed it; null: none did.'),
  logged: t.object({
    state: t.word(
      ['logged', 'waits', 'silent', 'unreadable'],
      '`silent`: it was read beyond, without an entry.',
    ),
    eventId: t.textOrNull(),
    at: t.momentOrNull('By the clock of the service.'),
    ours: t.orNull(t.flag(), 'false: the bridge did not do it itself.'),
    who: t.orNull(t.author),
    code: t.textOrNull('Why the log cannot be read.'),
  }),
  remains: t.partOrNull('What the account still has.', {
    owner: t.flag('True: the account has the role of an owner.'),
    groups: t.list(t.named, 'Groups that the bridge does not manage.'),
  }),
  tookMs: t.countOrNull('From the arrival of the request until it was seen.'),
  problem: t.orNull(t.serviceWords, 'Why it waits, in the words of the service.'),
  nextAttemptAt: t.momentOrNull('While it waits; null: when nothing holds it.'),
  planId: t.textOrNull('The plan that holds it until an operator decides.'),
});

export const GroupAccess = t.object({
  at: t.moment('The moment that is asked about.'),
  group: t.named,
  user: t.named,
  role: t.word(LINK_LISTS),
  since: t.momentOrNull('When it began, or was first seen; null: nothing is kept of it.'),
  how: t.word(
    ['request', 'plan', 'rule', 'bridge', 'others', 'accepted', 'found'],
    '`bridge`: by the bridge, and nothing is kept of why; `others`: in the service; `accepted`: the same, and accepted; `found`: nothing is kept of it.',
  ),
  by: t.textOrNull('The author in the audit log of what others did, or the plan.'),
  asked: toAsked('The last request for this list before; null: none, or it is not kept.'),
  certain: t.flag('False: what is kept does not reach back, or contradicts itself.'),
});

/** Nothing in it is personal. */
export const Request = t.object({
  at: t.moment(),
  requestId: t.text(),
  method: t.text(),
  route: t.text('Its pattern; `none`: nothing is served there.'),
  resource: t.partOrNull('null: it was for none, or made none.', {
    type: t.resourceType(),
    id: t.text(),
  }),
  written: t.parts(null, {
    op: t.word(['set', 'add', 'replace', 'remove', 'drop', 'repair', 'refuse']),
    path: t.text('An attribute; after `drop`, `repair` and `refuse` the kind of the reason.'),
    values: t.count('How many, never which.'),
    words: t.textOrNull('The kind of the reason in words.'),
  }),
  status: t.whole('0: something was changed, and there was no answer yet.'),
  scimType: t.textOrNull(),
  refusal: t.textOrNull('Why it was refused, as in the answer, without words of the service.'),
  durationMs: z.number().min(0),
  client: t.textOrNull(),
  credential: t.text('`settings-1` is the first of `scim.tokens`; then `token-…`, `client-…`.'),
  credentialName: t.textOrNull('null: it is one of the settings.'),
  exchange: t.partOrNull('null: its provider was not traced.', {
    query: t.text(),
    body: t.anything('JSON with masked values; a text where it is none or is cut.'),
    answer: t.anything('The same.'),
  }),
});

export const Notification = t.object({
  id: t.text('`webhook-id` of each attempt.'),
  receiver: t.text(),
  type: t.text('Such as `reason.began`, `plan.held`, `leaver.late`.'),
  at: t.moment(),
  attempts: t.count(),
  nextAttemptAt: t.moment(),
  error: t.textOrNull('Why the last attempt failed; null: none has.'),
});

const fileName = () => t.optional(z.string().min(1).max(255));
const anyFields = () => t.optional(z.record(z.string(), z.unknown()));

export const ActList = t.listOf(Act);
export const LeaverList = t.listOf(Leaver);
export const GroupAccessList = t.listOf(GroupAccess);
export const RequestList = t.listOf(Request);
export const NotificationList = t.listOf(Notification);
export const NotificationTestBody = t.object({ receiver: t.optional(z.string().min(1).max(64)) });
export const NotificationTest = t.object({
  ids: t.list(t.text(), 'Delivered are those that are listed no more.'),
});
/** Files travel beside the body, by the name that the body has for them. */
export const CallBody = t.object({
  path: anyFields(),
  query: anyFields(),
  body: anyFields(),
  everything: t.optional(z.literal(true), 'Needed where an operation would change all there is.'),
  files: t.optional(
    z.record(
      z.string(),
      t.parts(null, { content: z.base64(), name: fileName(), type: fileName() }).min(1),
    ),
    'As base64; see docs/command-line.md#call-the-service.',
  ),
});
export const CallResult = t.object({ result: t.anything() });
export const CallFailure = t.object({
  code: t.text('A stable word, for programs.'),
  message: t.text(),
  operation: t.text(),
  status: t.orNull(t.whole(), 'Of the answer of the service; null: there was none.'),
  retry: t.word(['later', 'never']),
  outcome: t.word(['not-sent', 'unknown', 'answered']),
  requestId: t.textOrNull(),
  retryAfterMs: t.countOrNull(),
  answer: t.anything('The answer of the service; may be personal.'),
});
