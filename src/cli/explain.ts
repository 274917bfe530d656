import type { Command } from 'commander';
import type { Explanation } from '../ops/schemas/resources.ts';
import type { AddCommand } from './context.ts';
import { toExplanationText } from './explain-text.ts';
import { parseAnswer } from './json.ts';
import { addShowOptions, type ShowOptions, show } from './listing.ts';

/** `explain`: tells why each field of a user or group is as it is, from the running bridge. */
export const addExplainCommand: AddCommand = (program, context) => {
  const command = program
    .command('explain')
    .description('tell why each field of a person or group is as it is (asks the running bridge)')
    .usage('[user|group] <id or name> [options]')
    .argument(
      '<words...>',
      'user or group, where the name alone is not enough; a SCIM id or a name',
    );
  addShowOptions(command)
    .addHelpText('after', help)
    .action(async (words: string[], options: ShowOptions) => {
      const path = toPath(words, command);
      await show<Explanation>(context, {
        options,
        read: async (client) => parseAnswer<Explanation>(await client.send('GET', path)),
        toText: (explanation) => toExplanationText(explanation, context),
      });
    });
};

const help = `
The name is a userName, an address or a displayName; case does not matter. The states are those of docs/drift.md.

  scim-bridge explain user ada@example.com
  scim-bridge explain group 'Board of directors'`;

const FOLDERS = new Map([
  ['user', 'users'],
  ['group', 'groups'],
]);

function toPath(words: readonly string[], command: Command): `/${string}` {
  const [first = '', second] = words;
  if (second === undefined) return `/explain/${encodeURIComponent(first)}`;
  const folder = FOLDERS.get(first);
  if (folder === undefined || words.length > 2) {
    command.error('Say user or group and one name; put a name with spaces in quotes.');
  }
  return `/${folder}/${encodeURIComponent(second)}/explain`;
}
