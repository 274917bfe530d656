import type { Timeline, TimelineItem } from '../ops/schemas/resources.ts';
import type { AddCommand } from './context.ts';
import { parseAnswer } from './json.ts';
import { addShowOptions, type ListOptions, parseCount, show } from './listing.ts';

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, context) => {
  const command = program
    .command('why')
    .description(
      'tell what led to the state of a person or group, in one line of time (asks the running bridge)',
    )
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', parseCount, 100);
  addShowOptions(command)
    .addHelpText('after', help)
    .action(async (name: string, options: ListOptions) => {
      const path = `/timeline/${encodeURIComponent(name)}?limit=${options.limit}` as const;
      await show<Timeline>(context, {
        options,
        read: async (client) => parseAnswer<Timeline>(await client.send('GET', path)),
        toText,
      });
    });
};

const help = `
  provider   what was written through SCIM, and how it was answered
  bridge     what the bridge changed in the service, and what is stuck
  audit log  what the service's audit log says, and who did it
  seen       when the service was looked at
  drift      what differed, and how that ended

How each field stands now, and why: scim-bridge explain.`;

function toText({ type, name, id, managed, deleted, items, more }: Timeline): string {
  const state = managed === 'no' ? 'only observed' : `managed, ${managed}`;
  const lines = [
    `${type} ${name}${deleted ? ' (deleted)' : ''}`,
    `id ${id}, ${state}`,
    '',
    ...(more ? ['earlier: ask for more with --limit'] : []),
    ...items.map(toLine),
  ];
  return `${lines.join('\n')}\n`;
}

function toLine({ at, source, text, others }: TimelineItem): string {
  const names = others.map(({ id, name }) => name ?? id).join(', ');
  const title = source === 'audit' ? 'audit log' : source;
  return `${at}  ${title.padEnd(9)}  ${text}${names === '' ? '' : ` [${names}]`}`;
}
