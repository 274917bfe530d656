import { z } from 'zod';
import type { Receiver } from '../domain/notification.ts';
import { kindFacts } from './kinds.ts';

/** More receivers than this are a mistake: each is sent everything on its own. */
const RECEIVERS_MAX = 20;

const receiver = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'a name of letters, digits, dots, dashes'),
  url: z.string().refine(isReceiverUrl, 'an https:// address without a user or a fragment'),
  secretFile: z.string().min(1).max(4_096).optional(),
  events: z
    .array(z.string().regex(/^[a-z*.-]{1,64}$/, 'events such as reason.* or leaver.late'))
    .min(1)
    .max(100)
    .default(['*']),
  format: z.enum(['standard', 'slack', 'teams']).default('standard'),
  names: z.boolean().default(false),
});

/** Receivers of notifications: a YAML list, or JSON text in the environment. */
export function receiverList() {
  return z
    .union([z.array(z.unknown()), z.string().transform(parseJsonList)])
    .pipe(z.array(z.unknown()).max(RECEIVERS_MAX))
    .transform((entries, context) => {
      const parsed = entries.map((entry) => receiver.safeParse(entry));
      const receivers = parsed.flatMap(({ data }) => (data === undefined ? [] : [data]));
      for (const [index, { data, error }] of parsed.entries()) {
        const problems = data ? findProblems(data, receivers) : (error?.issues ?? []).map(toWords);
        for (const message of problems) {
          context.addIssue({ code: 'custom', message, params: { entry: index + 1 } });
        }
      }
      return context.issues.length > 0 ? z.NEVER : receivers;
    })
    .register(kindFacts, {
      allowed:
        'a list of receivers, each with name, url and secretFile, and with events, format and names where they are others; JSON in the variable',
      // The address of a Slack or Teams channel is its password.
      secret: 'value',
    });
}

function findProblems(one: Receiver, all: readonly Receiver[]): string[] {
  const problems: string[] = [];
  if (one.format === 'standard' && one.secretFile === undefined) {
    problems.push('has no secretFile, with which the format standard is signed');
  }
  if (all.some((other) => other !== one && other.name === one.name)) {
    problems.push(`has the name ${one.name}, as another one does`);
  }
  return problems;
}

function parseJsonList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused as no list; the message says what is allowed.
    return undefined;
  }
}

/** No part of a value is shown: it may be the address of a channel. */
function toWords({ path, message, code }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys') return 'has a key that no receiver has';
  return `has a wrong ${path.map(String).join('.') || 'form'}: ${message}`;
}

function isReceiverUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.hash === '';
}
