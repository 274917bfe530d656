import { z } from 'zod';
import { LEAVER_STATUSES } from '../../domain/leaver.ts';
import { author, count, type JsonOf, moment, named, serviceWords, word } from './kinds.ts';

/** Entry of the service's audit log about somebody who left. */
const logged = z.strictObject({
  state: word(['logged', 'waits', 'silent', 'unreadable']).describe(
    '`silent`: the audit log was read beyond it and no entry is kept; `unreadable`: it cannot be read.',
  ),
  eventId: z.string().nullable(),
  at: moment().nullable().describe('By the clock of the service.'),
  ours: z.boolean().nullable().describe('false: the bridge did not do it itself.'),
  who: author.nullable(),
  code: z.string().nullable().describe('Why the log cannot be read.'),
});

/** Somebody who left, and what proves it. */
export const leaver = z.strictObject({
  person: named,
  status: z
    .enum(LEAVER_STATUSES)
    .describe(
      '`waits`: the service was not seen to hold it; `out`: it was; `back`: somebody let the person in again.',
    ),
  asked: z
    .strictObject({
      at: moment().describe('Arrival of the request.'),
      credential: z.string().describe('As in `/ops/requests`.'),
      requestId: z.string(),
    })
    .nullable()
    .describe('Who asked for it; null: the request is not kept any more.'),
  acceptedAt: moment(),
  sent: z
    .strictObject({
      at: moment(),
      operation: z.string(),
      outcome: word(['done', 'refused', 'unknown', 'not-sent']).nullable(),
      error: z.string().nullable(),
    })
    .nullable()
    .describe('The newest call; null: none was needed, or it is not kept any more.'),
  seenAt: moment().nullable().describe('When a look after that showed it; null: none did.'),
  logged,
  remains: z
    .strictObject({
      owner: z.boolean().describe('True: the account has the role of an owner.'),
      groups: z.array(named).describe('Groups that the bridge does not manage.'),
    })
    .nullable()
    .describe('What the account was last seen to have, as far as it is not taken with the access.'),
  tookMs: count().nullable().describe('From the arrival of the request until it was seen.'),
  problem: serviceWords.nullable().describe('Why it waits, in the words of the service.'),
  nextAttemptAt: moment().nullable().describe('While it waits; null: when nothing holds it.'),
  planId: z.string().nullable().describe('The plan that holds it until an operator decides.'),
});
/** Somebody who left, as operators are shown it. */
export type LeaverAnswer = JsonOf<typeof leaver>;
