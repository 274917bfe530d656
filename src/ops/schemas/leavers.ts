import { z } from 'zod';
import { LEAVER_STATUSES, REMAINS_PARTS, REMOVAL_KINDS } from '../../domain/leaver.ts';
import { author, count, type JsonOf, moment, named, serviceWords, word } from './kinds.ts';

/** Entry of the service's audit log about a removal. */
const logged = z.strictObject({
  state: word(['logged', 'waits', 'silent', 'unreadable']).describe(
    '`silent`: the audit log was read beyond it and has no entry; `unreadable`: it cannot be read.',
  ),
  eventId: z.string().nullable(),
  at: moment().nullable().describe('By the clock of the service.'),
  ours: z.boolean().nullable().describe('false: the bridge did not do it itself.'),
  who: author.nullable().describe('null: the entry is not kept any more.'),
  code: z.string().nullable().describe('Why the log cannot be read.'),
});

/** One part of what remains. */
const remainsLook = z.strictObject({
  part: z
    .enum(REMAINS_PARTS)
    .describe(
      '`account`: it works by then; `role`: of an owner; `rights`: of the person alone; `groups`: that the bridge does not manage; `entities`: what these open; `spaces`: entered directly; `keys`: API keys.',
    ),
  looked: z.boolean().describe('false: nobody could look, and `found` says nothing.'),
  why: z.string().nullable().describe('Why nobody could look.'),
  found: z.array(named),
});

/** One removal of somebody's access, and its proof. */
export const leaver = z.strictObject({
  person: named,
  kind: z.enum(REMOVAL_KINDS),
  status: z
    .enum(LEAVER_STATUSES)
    .describe(
      '`out`: the service holds it; `refused`: it refused it, and the write was taken back; `withdrawn`: somebody wanted the person in again.',
    ),
  asked: z
    .strictObject({
      at: moment().describe('Arrival of the request.'),
      credential: z.string().describe('As in `/ops/requests`.'),
      requestId: z.string(),
    })
    .describe('Who asked for it.'),
  acceptedAt: moment(),
  sent: z
    .strictObject({
      at: moment(),
      operation: z.string(),
      outcome: word(['done', 'refused', 'unknown', 'not-sent']).nullable(),
      error: z.string().nullable(),
    })
    .nullable()
    .describe('The newest call; null: none was made, or none was needed.'),
  seen: z
    .strictObject({ at: moment(), by: z.string() })
    .nullable()
    .describe('The observation that showed it; null: none did, or there was no account.'),
  logged,
  remains: z
    .strictObject({ at: moment(), parts: z.array(remainsLook) })
    .nullable()
    .describe('What the bridge cannot take away; null: nobody has looked yet, or need not look.'),
  tookMs: count().nullable().describe('From the arrival of the request until it was seen.'),
  problem: serviceWords.nullable().describe('Why it waits, in the words of the service.'),
  planId: z.string().nullable().describe('The plan that holds it until an operator decides.'),
});
/** A removal of access as operators are shown it. */
export type LeaverAnswer = JsonOf<typeof leaver>;
