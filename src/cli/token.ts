import type { Command } from 'commander';
import type { TokenView } from '../ops/access/tokens-router.ts';
import {
  type AskAccess,
  createAccessAsker,
  listAccess,
  toLifeText,
  type WithOwnAccess,
} from './ask-access.ts';
import type { AddCommand, CliContext } from './context.ts';

/** `token`: named tokens of providers and operators. */
export function tokenCommand(withOwnAccess: WithOwnAccess): AddCommand {
  return (program, context) => {
    const ask = createAccessAsker(context, withOwnAccess);
    const token = program
      .command('token')
      .description(
        'named tokens of providers and operators (asks the running bridge, or the store where none runs)',
      );
    addCreate(token, context, ask);
    addList(token, context, ask);
    addRevoke(token, context, ask);
  };
}

interface CreateOptions {
  readonly for: string;
  readonly expires: string;
  readonly json?: true;
}

function addCreate(parent: Command, { write }: CliContext, ask: AskAccess): void {
  parent
    .command('create <name>')
    .description('make a token; it is printed once and kept nowhere')
    .option('--for <purpose>', 'scim, reader or operator', 'scim')
    .option('--expires <duration>', 'how long it is valid, such as 90d, or never', '365d')
    .option('--json', 'as one JSON object')
    .action(async (name: string, { json, ...wish }: CreateOptions) => {
      await ask(async (client) => {
        const made = parse<TokenView & { token: string }>(
          await client.send('POST', '/tokens', { name, for: wish.for, expires: wish.expires }),
        );
        write(json ? toJson(made) : toMadeText(made));
      });
    });
}

function addList(parent: Command, { write }: CliContext, ask: AskAccess): void {
  parent
    .command('list')
    .description('tokens that are not revoked')
    .option('--all', 'those that are revoked as well')
    .option('--json', 'as one JSON list')
    .action(async ({ all, json }: { all?: true; json?: true }) => {
      await ask(async (client) => {
        const tokens = await listAccess<TokenView>(client, '/tokens', { isAll: all === true });
        write(json ? toJson(tokens) : tokens.map(toLine).join(''));
      });
    });
}

function addRevoke(parent: Command, { write }: CliContext, ask: AskAccess): void {
  parent
    .command('revoke <name-or-id>')
    .description('end a token, everywhere within five seconds')
    .action(async (key: string) => {
      await ask(async (client) => {
        const path = `/tokens/${encodeURIComponent(key)}/revoke` as const;
        const { id, name } = parse<TokenView>(await client.send('POST', path));
        write(`${name} (${id}) is revoked.\n`);
      });
    });
}

function toMadeText({ token, ...view }: TokenView & { token: string }): string {
  return `${toLine(view)}\n${token}\n\nThis is the only time that it is shown.\n`;
}

function toLine(view: TokenView): string {
  return `${view.id}  ${view.name}  for ${view.for}  ${toLifeText(view)}\n`;
}

/** What the same version of the bridge answers. */
function parse<T>(answer: unknown): T {
  return answer as T;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
