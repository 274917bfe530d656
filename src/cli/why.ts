import type { Timeline } from '../ops/schemas/resources.ts';
import { toTimelineText } from '../ops/timeline/to-text.ts';
import type { AddCommand } from './context.ts';
import { toJson } from './json.ts';

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, { connect, write }) => {
  program
    .command('why')
    .description(
      'tell what led to the state of a person or group, in one line of time (asks the running bridge)',
    )
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', '100')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (name: string, { limit, json }: { limit: string; json?: true }) => {
      const client = connect();
      const query = new URLSearchParams({ limit });
      const answer = await client.send('GET', `/timeline/${encodeURIComponent(name)}?${query}`);
      write(json ? toJson(answer) : toTimelineText(parseTimeline(answer)));
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

/** The answer of a bridge of the same version. */
function parseTimeline(answer: unknown): Timeline {
  return answer as Timeline;
}
