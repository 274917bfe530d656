import type { RetryAnswer } from '../ops/schemas/state.ts';
import type { AddCommand } from './context.ts';
import { parseAnswer, toJson } from './json.ts';

/** `retry`: has what is stuck or waits for its next attempt tried now. */
export const addRetryCommand: AddCommand = (program, { connect, write }) => {
  const command = program
    .command('retry')
    .description('try now what is stuck or waits for its next attempt (asks the running bridge)')
    .argument('[name]', 'a userName, an address, a displayName or a SCIM id')
    .option('--all', 'everything of everybody')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help);
  command.action(async (name: string | undefined, { all, json }: Options) => {
    if ((name === undefined) !== (all === true)) {
      command.error('error: name one person or group, or say --all');
    }
    const client = connect();
    const body = name === undefined ? { all: true } : { name };
    const answer = parseAnswer<RetryAnswer>(await client.send('POST', '/retry', body));
    write(json ? toJson(answer) : toText(answer));
  });
};

interface Options {
  readonly all?: true;
  readonly json?: true;
}

const help = `
Of a person this is also what waits of them in groups. What fails again rests as before; /ops/status and scim-bridge why
tell what came of it. While changes are paused, or only observed, it is tried when that ends.`;

function toText({ count, tried }: RetryAnswer): string {
  if (count === 0) return 'Nothing waits that could be tried now.\n';
  const lines = tried.map(({ type, id, name, waits }) => {
    const what = waits.length === 0 ? 'a look' : waits.join(', ');
    return `  ${type} ${name} (${id}): ${what}\n`;
  });
  const more = count > tried.length ? `  and ${count - tried.length} more\n` : '';
  return `Tried now: ${count}\n${lines.join('')}${more}`;
}
