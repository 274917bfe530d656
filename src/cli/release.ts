import { confirm, YES } from './confirm.ts';
import type { AddCommand } from './context.ts';
import { findResource } from './find-resource.ts';
import { parseAnswer, toJson } from './json.ts';

/** `release`: lets a person or group go without a change in the service. */
export const addReleaseCommand: AddCommand = (program, context) => {
  const { connect, write } = context;
  const command = program.command('release');
  command
    .description('only observe a person or group from now on (asks the running bridge)')
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (name: string, { yes, json }: Options) => {
      const question = `Let ${name} go? No provider's changes reach it until one takes it over again.`;
      if (!(await confirm(command, context, { yes, question }))) return;
      const client = connect();
      const { type, id } = await findResource(client, name);
      const released = parseAnswer<object>(await client.send('POST', `/${type}s/${id}/release`));
      write(json ? toJson(released) : `${type} ${name} (${id}) is only observed now\n`);
    });
};

const help = `
Nothing is changed in the service: the account, the group and its members stay as they are. A provider that still has the
person or group takes it over again with its next write, as users.adopt and groups.adopt say: unassign it there first.

Exit codes:
  0   let go
  1   nothing or more than one has this name, it is not managed, or something of it waits: the message says which
  64  wrong usage`;

interface Options {
  readonly yes?: true;
  readonly json?: true;
}
