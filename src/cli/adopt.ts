import { confirm, YES } from './confirm.ts';
import type { AddCommand } from './context.ts';
import { findResource } from './find-resource.ts';
import { parseAnswer, toJson } from './json.ts';

/** `adopt`: takes over an account or group that the bridge only observes. */
export const addAdoptCommand: AddCommand = (program, context) => {
  const { connect, write } = context;
  const command = program.command('adopt');
  command
    .description(
      'take over an account or group that exists in the service (asks the running bridge)',
    )
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--privileged', 'also an owner, somebody protected, a group with rights or admins')
    .option('--provider <name>', 'the provider whose it is from then on; default when left out')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (name: string, { privileged, provider, yes, json }: Options) => {
      const question = `Let providers change ${name}, even if it is an owner, protected or has rights?`;
      if (privileged && !(await confirm(command, context, { yes, question }))) return;
      const client = connect();
      const { type, id } = await findResource(client, name);
      const body = { privileged, provider };
      const path = `/${type}s/${id}/adopt` as const;
      const adopted = parseAnswer<{ name: string }>(await client.send('POST', path, body));
      write(json ? toJson(adopted) : `${type} ${adopted.name} (${id}) is managed now\n`);
    });
};

/** `release`: lets a person or group go without a change in the service. */
export const addReleaseCommand: AddCommand = (program, context) => {
  const { connect, write } = context;
  const command = program.command('release');
  command
    .description('only observe a person or group from now on (asks the running bridge)')
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .addHelpText('after', releaseHelp)
    .action(async (name: string, { yes, json }: Options) => {
      const question = `Let ${name} go? No provider's changes reach it until one takes it over again.`;
      if (!(await confirm(command, context, { yes, question }))) return;
      const client = connect();
      const { type, id } = await findResource(client, name);
      const released = parseAnswer<object>(await client.send('POST', `/${type}s/${id}/release`));
      write(json ? toJson(released) : `${type} ${name} (${id}) is only observed now\n`);
    });
};

const releaseHelp = `
Nothing is changed in the service: the account, the group and its members stay as they are. A provider that still has the
person or group takes it over again with its next write, as users.adopt and groups.adopt say: unassign it there first.`;

const help = `
Nothing is changed in the service by that, but what rules give: what it holds is what is wanted, until a provider says
otherwise. Who must not lose access stays protected.`;

interface Options {
  readonly privileged?: true;
  readonly provider?: string;
  readonly yes?: true;
  readonly json?: true;
}
