import { z } from 'zod';
import type { Receiver } from '../domain/notification.ts';
import { jsonList, kindFacts } from './kinds.ts';

/** More receivers than this are a mistake: each is sent everything on its own. */
const RECEIVERS_MAX = 20;

const receiver = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/),
  url: z.string().refine(isReceiverUrl),
  secretFile: z.string().min(1).max(4_096).optional(),
  events: z
    .array(z.string().regex(/^[a-z*.-]{1,64}$/))
    .min(1)
    .max(100)
    .default(['*']),
  format: z.enum(['standard', 'slack', 'teams']).default('standard'),
  names: z.boolean().default(false),
});

/** Words for what each key takes. */
const TAKES: Readonly<Record<string, string>> = {
  name: 'a name of letters, digits, dots, dashes',
  url: 'an https:// address without a user or a fragment',
  secretFile: 'the path of a file',
  events: 'a list of 1 to 100 types such as reason.* or leaver.late',
  format: 'standard, slack or teams',
  names: 'true or false',
};

/** Receivers of notifications: a YAML list, or JSON text in the environment. */
export function receiverList() {
  return jsonList(RECEIVERS_MAX)
    .transform((entries, context) => {
      const parsed = entries.map((entry) => ({ entry, ...receiver.safeParse(entry) }));
      const receivers = parsed.flatMap(({ data }) => (data === undefined ? [] : [data]));
      for (const [index, { entry, data, error }] of parsed.entries()) {
        const issues = error?.issues ?? [];
        const problems = data ? findProblems(data, receivers) : toProblems(entry, issues);
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

/** No part of a value is shown: it may be the address of a channel. */
function toProblems(entry: unknown, issues: readonly z.core.$ZodIssue[]): string[] {
  const words = issues.map(({ path: [key], code }) => {
    if (code === 'unrecognized_keys') return 'has a key that no receiver has';
    if (key === undefined) return 'is no receiver, which has a name, a url and a secretFile';
    const name = String(key);
    return Object.hasOwn(Object(entry), key)
      ? `has a wrong ${name}; it takes ${TAKES[name]}`
      : `has no ${name}: ${TAKES[name]}`;
  });
  return [...new Set(words)];
}

function isReceiverUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.hash === '';
}
