import type { Command } from 'commander';
import type { ClientView } from '../ops/schemas/access.ts';
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

/** Lifetime of a secret, as in `--expires`. */
const EXPIRES = '730d';

/** `client`: manages OAuth clients, for providers that fetch access tokens. */
export function clientCommand(withOwnAccess: WithOwnAccess): AddCommand {
  return (program, context) => {
    const ask = createAccessAsker(context, withOwnAccess);
    const client = program
      .command('client')
      .description(
        'OAuth clients and their secrets (asks the running bridge, or the store where none runs)',
      );
    addMaking(client, context, ask, {
      usage: 'create <name>',
      description: 'make a client; its secret is printed once and kept nowhere',
      takesProfile: true,
      toRequest: (name, options) => ({ path: '/clients', body: { name, ...options } }),
    });
    addMaking(client, context, ask, {
      usage: 'rotate <name-or-id>',
      description: 'give a client a second secret; the first one stays valid until it is revoked',
      takesProfile: false,
      toRequest: (key, options) => ({ path: toPath(key, 'rotate'), body: options }),
    });
    addList<ClientView>(client, context, ask, {
      path: '/clients',
      description: 'clients that are not revoked, with their secrets, the newest first',
      none: 'There is no client like that.',
      columns,
    });
    addRevoke(client, context, ask);
  };
}

const columns: readonly Column<ClientView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => ({ text: id, colour: 'dim' }) },
  { head: 'name', cell: (view) => `${view.name}${toProfileText(view)}` },
  { head: 'secrets', cell: ({ secrets }) => secrets.map(toSecretText).join('; ') },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toUse(lastUsedAt) },
];

function toSecretText(secret: ClientView['secrets'][number]): string {
  return `${secret.id} ${toState(secret)}`;
}

interface Making {
  readonly usage: string;
  readonly description: string;
  readonly takesProfile: boolean;
  readonly toRequest: (
    key: string,
    options: object,
  ) => { readonly path: `/${string}`; readonly body: object };
}

function addMaking(
  parent: Command,
  { write }: CliContext,
  ask: AskAccess,
  { usage, description, takesProfile, toRequest }: Making,
): void {
  const command = parent.command(usage).description(description);
  if (takesProfile) command.addOption(profileOption());
  command
    .option('--expires <duration>', 'how long the secret is valid, from 365d to 1095d', EXPIRES)
    .option('--json', 'as one JSON object')
    .action(async (key: string, { json, ...options }: { expires: string; json?: true }) => {
      const { path, body } = toRequest(key, options);
      await ask(async (client) => {
        const made = parseAnswer<ClientView & { secret: string }>(
          await client.send('POST', path, body),
        );
        write(json ? toJson(made) : toMadeText(made));
      });
    });
}

interface RevokeOptions {
  readonly secret?: string;
  readonly yes?: true;
  readonly json?: true;
}

function addRevoke(parent: Command, context: CliContext, ask: AskAccess): void {
  const { write } = context;
  const command = parent.command('revoke <name-or-id>');
  command
    .description('end a client, or one of its secrets, with every access token that it got')
    .option('--secret <id>', 'end this secret alone')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .action(async (key: string, { secret, yes, json }: RevokeOptions) => {
      const ended = secret === undefined ? `the client ${key}` : `${secret} of the client ${key}`;
      const question = `End ${ended}, with every access token that it got?`;
      if (!(await confirm(command, context, { yes, question }))) return;
      await ask(async (client) => {
        const body = secret === undefined ? {} : { secret };
        const view = parseAnswer<ClientView>(
          await client.send('POST', toPath(key, 'revoke'), body),
        );
        const what = secret === undefined ? '' : `${secret} of `;
        write(json ? toJson(view) : `${what}${view.name} (${view.id}) is revoked.\n`);
      });
    });
}

function toPath(key: string, verb: 'rotate' | 'revoke'): `/${string}` {
  return `/clients/${encodeURIComponent(key)}/${verb}`;
}

function toMadeText({ secret, ...view }: ClientView & { secret: string }): string {
  return `${toLines(view)}\nclient_id      ${view.id}\nclient_secret  ${secret}\n\nThis is the only time that the secret is shown.\n`;
}

function toLines({ id, name, profile, secrets, revokedAt, lastUsedAt }: ClientView): string {
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  const head = `${id}  ${name}${toProfileText({ profile })}  ${revokedAt === null ? used : `revoked ${revokedAt}, ${used}`}\n`;
  return head + secrets.map((secret) => `  ${secret.id}  ${toLifeText(secret)}\n`).join('');
}
