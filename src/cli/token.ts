import { type Command, Option } from 'commander';
import { PURPOSES } from '../domain/credential.ts';
import type { TokenView } from '../ops/schemas/access.ts';
import {
  type AskAccess,
  addList,
  createAccessAsker,
  profileOption,
  toLifeText,
  toProfileText,
  toState,
  toUse,
  type WithOwnAccess,
} from './ask-access.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import type { Column } from './table.ts';

/** `token`: manages the named tokens of providers and operators. */
export function tokenCommand(withOwnAccess: WithOwnAccess): AddCommand {
  return (program, context) => {
    const ask = createAccessAsker(context, withOwnAccess);
    const token = program
      .command('token')
      .description(
        'named tokens of providers and operators (asks the running bridge, or the store where none runs)',
      );
    addCreate(token, context, ask);
    addList<TokenView>(token, context, ask, {
      path: '/tokens',
      description: 'tokens that are not revoked, the newest first',
      none: 'There is no token like that.',
      columns,
    });
    addRevoke(token, context, ask);
  };
}

const columns: readonly Column<TokenView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => ({ text: id, colour: 'dim' }) },
  { head: 'name', cell: ({ name }) => name },
  { head: 'for', cell: (view) => `${view.for}${toProfileText(view)}` },
  { head: 'state', cell: toState },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toUse(lastUsedAt) },
];

interface CreateOptions {
  readonly for: string;
  readonly expires: string;
  readonly profile: string;
  readonly json?: true;
}

function addCreate(parent: Command, { write }: CliContext, ask: AskAccess): void {
  parent
    .command('create <name>')
    .description('make a token; it is printed once and kept nowhere')
    .addOption(new Option('--for <purpose>', 'what it lets in').choices(PURPOSES).default('scim'))
    .option('--expires <duration>', 'how long it is valid, such as 90d, or never', '365d')
    .addOption(profileOption())
    .option('--json', 'as one JSON object')
    .action(async (name: string, { json, ...wish }: CreateOptions) => {
      await ask(async (client) => {
        const made = parseAnswer<TokenView & { token: string }>(
          await client.send('POST', '/tokens', { name, ...toBody(wish) }),
        );
        write(json ? toJson(made) : toMadeText(made));
      });
    });
}

function toBody({ for: purpose, expires, profile }: Omit<CreateOptions, 'json'>) {
  return { for: purpose, expires, profile };
}

function addRevoke(parent: Command, context: CliContext, ask: AskAccess): void {
  const { write } = context;
  const command = parent.command('revoke <name-or-id>');
  command
    .description('end a token, everywhere within five seconds')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .action(async (key: string, { yes, json }: { yes?: true; json?: true }) => {
      const question = `End the token ${key}? Who presents it is refused from then on.`;
      if (!(await confirm(command, context, { yes, question }))) return;
      await ask(async (client) => {
        const path = `/tokens/${encodeURIComponent(key)}/revoke` as const;
        const view = parseAnswer<TokenView>(await client.send('POST', path));
        write(json ? toJson(view) : `${view.name} (${view.id}) is revoked.\n`);
      });
    });
}

function toMadeText({ token, ...view }: TokenView & { token: string }): string {
  return `${toLine(view)}\n${token}\n\nThis is the only time that it is shown.\n`;
}

function toLine(view: TokenView): string {
  return `${view.id}  ${view.name}  for ${view.for}${toProfileText(view)}  ${toLifeText(view)}\n`;
}
