import type { Timeline } from '../ops/schemas/resources.ts';
import { toTimelineText } from '../ops/timeline/to-text.ts';
import type { AddCommand } from './context.ts';
import { parseAnswer } from './json.ts';
import { addShowOptions, parseNumber, type ShowOptions, show } from './listing.ts';

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, context) => {
  const command = program
    .command('why')
    .description(
      'tell what led to the state of a person or group, in one line of time (asks the running bridge)',
    )
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', '100');
  addShowOptions(command)
    .addHelpText('after', help)
    .action(async (name: string, options: ShowOptions & { limit: string }) => {
      const limit = parseNumber(command, '--limit', options.limit);
      const path = `/timeline/${encodeURIComponent(name)}?limit=${limit}` as const;
      await show<Timeline>(command, context, {
        options,
        read: async (client) => parseAnswer<Timeline>(await client.send('GET', path)),
        toText: toTimelineText,
      });
    });
};

const help = `
  provider   what was written through SCIM, and how it was answered
  bridge     what the bridge changed in the service, and what is stuck
  audit log  what the service's audit log says, and who did it
  seen       when the service was looked at
  drift      what differed, and how that ended

How each field stands now, and why: scim-bridge explain.

Exit codes:
  0   told
  1   nothing or more than one has this name, or the bridge does not answer: the message says which`;
