import { z } from 'zod';
import { matching, structured } from './kinds.ts';

/** More receivers than this are a mistake: each is sent everything on its own. */
const RECEIVERS_MAX = 20;

const receiver = z
  .strictObject({
    name: matching('a name of letters, digits, dots, dashes', (name) =>
      /^[\w.-]{1,64}$/.test(name),
    ),
    url: matching('an https:// address without a user or a fragment', isReceiverUrl),
    secretFile: matching('the path of a file', (path) => /^.{1,4096}$/.test(path)).optional(),
    events: z
      .array(matching('a type such as reason.*', (type) => /^[a-z*.-]{1,64}$/.test(type)))
      .min(1)
      .max(100)
      .default(['*']),
    format: z.enum(['standard', 'slack', 'teams']).default('standard'),
    names: z.boolean().default(false),
  })
  .refine(({ format, secretFile }) => format !== 'standard' || secretFile !== undefined, {
    message: 'is missing: with it the format standard is signed',
    path: ['secretFile'],
  });

/** Receivers of notifications. */
export function receiverList() {
  const list = z
    .array(receiver)
    .max(RECEIVERS_MAX)
    .superRefine((receivers, context) => {
      const names = receivers.map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        const message = `is ${name}, as another one's`;
        if (names.indexOf(name) < index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
    });
  return structured(list, {
    allowed:
      'a list of receivers, each with name, url and secretFile, and with events, format and names where they are others; JSON in the variable',
    // The address of a Slack or Teams channel is its password.
    secret: 'value',
  });
}

function isReceiverUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.hash === '';
}
