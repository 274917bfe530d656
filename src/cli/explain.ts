import { listResourceFacts } from '../ops/lists/details.ts';
import { FIELDS, toLinkColumns } from '../ops/lists/resources.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand } from './context.ts';
import { readAnswer } from './json.ts';
import { addShowOptions, parseCount, type ShowOptions, show } from './listing.ts';
import { type Output, toDetails, toPlain, toTable } from './table.ts';

/** `explain`: tells why each field of a user or group is as it is, from the running bridge. */
export const addExplainCommand: AddCommand = (program, context) => {
  const about = 'tell why each field of a person or group is as it is';
  const command = addCommand(program, 'explain', about)
    .usage('[user|group] <id or name> [options]')
    .argument(
      '<words...>',
      'user or group, where the name alone is not enough; a SCIM id or a name',
    );
  addShowOptions(command)
    .addHelpText('after', EXPLAIN_HELP)
    .action(async ([first = '', second, ...more]: string[], options: ShowOptions) => {
      const isTyped = first === 'user' || first === 'group';
      if (second !== undefined && (!isTyped || more.length > 0)) {
        command.error('Say user or group and one name; put a name with spaces in quotes.');
      }
      const path =
        second === undefined
          ? (`/explain/${encodeURIComponent(first)}` as const)
          : (`/${first}s/${encodeURIComponent(second)}/explain` as const);
      await show<OpsJson<'Explanation'>>(context, {
        options,
        read: async (client) => await readAnswer(client, 'Explanation', path),
        toText: (explanation) => toExplanationText(explanation, context),
      });
    });
};

const EXPLAIN_HELP = `
The name is a userName, an address or a displayName; case does not matter. The states are those of docs/drift.md.

  scim-bridge explain user ada@example.com
  scim-bridge explain group 'Board of directors'`;

function toExplanationText(explanation: OpsJson<'Explanation'>, output: Output): string {
  const { fields, admins, groups, more } = explanation;
  const toLinks = (title: string, links: readonly OpsJson<'Member'>[] | undefined) => {
    if (links === undefined) return '';
    if (links.length === 0) return `\n${title}: none\n`;
    return `\n${title}:\n${toTable(links, toLinkColumns('user'), output)}${more > 0 ? `and ${more} more\n` : ''}`;
  };
  return [
    toHead(explanation),
    toDetails(listResourceFacts(explanation), output),
    `\n${toTable(fields, FIELDS, output)}`,
    toLinks('Admins', admins),
    toLinks('Groups', groups),
  ].join('');
}

type Named = Pick<OpsJson<'Timeline'>, 'type' | 'name' | 'deleted'>;

function toHead({ type, name, deleted }: Named): string {
  return `${type} ${toPlain(name)}${deleted ? ' (deleted)' : ''}\n`;
}

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, context) => {
  const about = 'tell what led to the state of a person or group, in one line of time';
  const command = addCommand(program, 'why', about)
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', parseCount, 100);
  addShowOptions(command)
    .addHelpText('after', WHY_HELP)
    .action(async (name: string, options: ShowOptions & { readonly limit: number }) => {
      const path = `/timeline/${encodeURIComponent(name)}?limit=${options.limit}` as const;
      await show<OpsJson<'Timeline'>>(context, {
        options,
        read: async (client) => await readAnswer(client, 'Timeline', path),
        toText: toTimelineText,
      });
    });
};

const WHY_HELP = `
  provider   what was written through SCIM, and how it was answered
  bridge     what the bridge changed in the service, and what is stuck
  audit log  what the service's audit log says, and who did it
  seen       when the service was looked at
  drift      what differed, and how that ended

How each field stands now, and why: scim-bridge explain.`;

function toTimelineText(timeline: OpsJson<'Timeline'>): string {
  const { id, managed, items, more } = timeline;
  const lines = items.map(({ at, source, text, others }) => {
    const names = others.map((other) => other.name ?? other.id).join(', ');
    const title = source === 'audit' ? 'audit log' : source;
    const of = names === '' ? '' : ` [${names}]`;
    return `${at}  ${title.padEnd(9)}  ${toPlain(`${text}${of}`)}\n`;
  });
  return [
    toHead(timeline),
    `id ${id}, ${managed === 'no' ? 'only observed' : `managed, ${managed}`}\n\n`,
    more ? 'earlier: ask for more with --limit\n' : '',
    ...lines,
  ].join('');
}
