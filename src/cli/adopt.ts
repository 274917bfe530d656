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

const help = `
Nothing is changed in the service by that, but what rules give: what it holds is what is wanted, until a provider says
otherwise. Who must not lose access stays protected.

Exit codes:
  0   taken over
  1   nothing or more than one has this name, it is managed already, or it is privileged: the message says which
  64  wrong usage`;

interface Options {
  readonly privileged?: true;
  readonly provider?: string;
  readonly yes?: true;
  readonly json?: true;
}
