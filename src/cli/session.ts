import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { SessionView } from '../ops/schemas/access.ts';
import { type AskAccess, createAccessAsker, type WithOwnAccess } from './ask-access.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand, CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { parseAnswer } from './json.ts';
import { addListOptions, LIST_HELP, type ListOptions, type Page, showList } from './listing.ts';
import { toMoment } from './lists.ts';
import type { Column } from './table.ts';

/** `session`: lists sign-ins to the console, and ends them. */
export function sessionCommand(withOwnAccess: WithOwnAccess): AddCommand {
  return (program, context) => {
    const ask = createAccessAsker(context, withOwnAccess);
    const session = program
      .command('session')
      .description(
        'sign-ins to the console (asks the running bridge, or the store where none runs)',
      );
    addList(session, context, ask);
    addRevoke(session, context, ask);
  };
}

const columns: readonly Column<SessionView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => ({ text: id, colour: 'dim' }) },
  { head: 'who', cell: ({ name }) => name },
  { head: 'role', rank: 'minor', cell: ({ for: role }) => role },
  { head: 'since', rank: 'minor', cell: ({ createdAt }) => toMoment(createdAt) },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toMoment(lastUsedAt) },
  { head: 'ends', cell: ({ expiresAt }) => toMoment(expiresAt) },
];

function addList(parent: Command, context: CliContext, ask: AskAccess): void {
  const command = parent
    .command('list')
    .description('sign-ins that are not over, the newest first');
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action((options: ListOptions) =>
      showList<SessionView>(command, context, {
        ...{ options, ask, columns, path: '/sessions', query: {} },
        none: 'Nobody is signed in to the console.',
      }),
    );
}

function addRevoke(parent: Command, context: CliContext, ask: AskAccess): void {
  const { write } = context;
  const command = parent.command('revoke <id-or-name>');
  command
    .description('end a sign-in by its id, or all of one operator by the name')
    .option(...YES)
    .action(async (key: string, { yes }: { yes?: true }) => {
      const question = `End the sign-ins ${key}? Who has them has to sign in again.`;
      if (!(await confirm(command, context, { yes, question }))) return;
      await ask(async (client) => {
        const { items } = await readSessions(client);
        const fitting = items.filter(({ id, name }) => id === key || name === key);
        for (const { id, name } of fitting) {
          await client.send('POST', `/sessions/${encodeURIComponent(id)}/revoke`);
          write(`${name} (${id}) is signed out.\n`);
        }
        if (fitting.length > 0) return;
        context.writeError(`No sign-in has the id or the name ${key}.\n`);
        context.exitWith(exitCodes.failed);
      });
    });
}

async function readSessions(client: OpsClient): Promise<Page<SessionView>> {
  return parseAnswer<Page<SessionView>>(await client.send('GET', '/sessions?limit=1000'));
}
