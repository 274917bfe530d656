import { z } from 'zod';
import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import {
  anything,
  author,
  count,
  countOrNull,
  flag,
  list,
  listOf,
  moment,
  momentOrNull,
  named,
  object,
  optional,
  orNull,
  resourceType,
  serviceWords,
  text,
  textOrNull,
  whole,
  word,
} from './kinds.ts';

/** States before and after an act. */
const state = (meaning: string) => orNull(z.record(z.string(), anything()), meaning);

const act = object({
  id: text(),
  at: moment(),
  operator: text('The name of the credential.'),
  credential: textOrNull('Its id.'),
  address: textOrNull('The address of the client; see `trustProxy`.'),
  act: text('What was done, in words.'),
  request: textOrNull('The method and the pattern of the route.'),
  requestId: textOrNull(),
  target: textOrNull(
    'The id of the user, group, drift, plan, token or client, or the name of the provider; null: there is none.',
  ),
  outcome: word(['done', 'refused', 'failed']),
  status: orNull(
    whole(),
    'Of the answer; null: something was changed, and there was no answer yet.',
  ),
  before: state('What the act changed, before it; null: nothing is known of it.'),
  after: state('The same after it.'),
});

const leaver = object({
  person: named,
  status: word(
    LEAVER_STATUSES,
    '`waits`: the service was not seen to hold it; `out`: it was; `back`: somebody let the person in again.',
  ),
  asked: orNull(
    object({
      at: moment('Arrival of the request.'),
      credential: text('As in `/ops/requests`.'),
      requestId: text(),
    }),
    'Who asked for it; null: the request is not kept any more.',
  ),
  acceptedAt: moment(),
  sent: orNull(
    object({
      at: moment(),
      operation: text(),
      outcome: orNull(word(['done', 'refused', 'unknown', 'not-sent'])),
      error: textOrNull(),
    }),
    'The newest call; null: none was needed, or it is not kept any more.',
  ),
  seenAt: momentOrNull('When a look after that showed it; null: none did.'),
  logged: object({
    state: word(
      ['logged', 'waits', 'silent', 'unreadable'],
      '`silent`: the audit log was read beyond it and no entry is kept; `unreadable`: it cannot be read.',
    ),
    eventId: textOrNull(),
    at: momentOrNull('By the clock of the service.'),
    ours: orNull(flag(), 'false: the bridge did not do it itself.'),
    who: orNull(author),
    code: textOrNull('Why the log cannot be read.'),
  }),
  remains: orNull(
    object({
      owner: flag('True: the account has the role of an owner.'),
      groups: list(named, 'Groups that the bridge does not manage.'),
    }),
    'What the account was last seen to have, as far as it is not taken with the access.',
  ),
  tookMs: countOrNull('From the arrival of the request until it was seen.'),
  problem: orNull(serviceWords, 'Why it waits, in the words of the service.'),
  nextAttemptAt: momentOrNull('While it waits; null: when nothing holds it.'),
  planId: textOrNull('The plan that holds it until an operator decides.'),
});

/** Nothing in it is personal. */
const request = object({
  at: moment(),
  requestId: text(),
  method: text(),
  route: text('Its pattern; `none`: nothing is served there.'),
  resource: orNull(
    object({ type: resourceType(), id: text() }),
    'null: it was for none, or made none.',
  ),
  written: list(
    object({
      op: word(['set', 'add', 'replace', 'remove', 'drop', 'repair', 'refuse']),
      path: text(
        'An attribute; of what was not taken (`drop`), corrected (`repair`) or is why all was refused (`refuse`), the kind of the reason.',
      ),
      values: count('How many, never which.'),
      words: textOrNull('The kind of the reason in words.'),
    }),
  ),
  status: whole('0: something was changed, and there was no answer yet.'),
  scimType: textOrNull(),
  refusal: textOrNull('Why it was refused, as in the answer, without words of the service.'),
  durationMs: z.number().min(0),
  client: textOrNull(),
  credential: text(
    'The credential: `settings-1` is the first of `scim.tokens`, then `token-…`, `client-…`.',
  ),
});

const notification = object({
  id: text('`webhook-id` of each attempt.'),
  receiver: text(),
  type: text('Such as `reason.began`, `plan.held`, `leaver.late`.'),
  at: moment(),
  attempts: count(),
  nextAttemptAt: moment(),
  error: textOrNull('Why the last attempt failed; null: none has.'),
});

const fileName = () => optional(z.string().min(1).max(255));
const anyFields = () => optional(z.record(z.string(), z.unknown()));

/** What was asked for and done, and calls of the service. */
export const recordSchemas = {
  Act: act,
  ActList: listOf(act),
  Leaver: leaver,
  LeaverList: listOf(leaver),
  Request: request,
  RequestList: listOf(request),
  Notification: notification,
  NotificationList: listOf(notification),
  NotificationTestBody: object({ receiver: optional(z.string().min(1).max(64)) }),
  NotificationTest: object({
    ids: list(text(), 'Delivered are those that are listed no more.'),
  }),
  /** Files travel beside the body, by the name that the body has for them. */
  CallBody: object({
    path: anyFields(),
    query: anyFields(),
    body: anyFields(),
    everything: optional(
      z.literal(true),
      'Needed where an operation without any condition would change all there is.',
    ),
    files: optional(
      z.record(
        z.string(),
        list(object({ content: z.base64(), name: fileName(), type: fileName() })).min(1),
      ),
      'As base64; see docs/command-line.md#call-the-service.',
    ),
  }),
  CallResult: object({ result: anything() }),
  CallFailure: object({
    code: text('A stable word, for programs.'),
    message: text(),
    operation: text(),
    status: orNull(whole(), 'Of the answer of the service; null: there was none.'),
    retry: word(['later', 'never']),
    outcome: word(['not-sent', 'unknown', 'answered']),
    requestId: textOrNull(),
    retryAfterMs: countOrNull(),
    answer: anything('The answer of the service; may be personal.'),
  }),
};
