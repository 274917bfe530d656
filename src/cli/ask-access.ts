import { type Command, Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import { addListOptions, LIST_HELP, type Listing, type ListOptions, showList } from './listing.ts';
import { toMoment } from './lists.ts';

/** A command about what lets somebody in, to which its own commands are added. */
export interface AccessCommand {
  readonly parent: Command;
  readonly context: CliContext;
}

/** Creates a command with commands below it, which ask the running bridge. */
export function accessCommand(
  { name, about }: { readonly name: string; readonly about: string },
  addCommands: (access: AccessCommand) => void,
): AddCommand {
  return (program, context) => {
    const parent = program.command(name).description(`${about} (asks the running bridge)`);
    addCommands({ parent, context });
  };
}

/** Output of `list`. */
type AccessListing<Item> = Pick<Listing<Item>, 'columns' | 'none' | 'path'> & {
  readonly description: string;
  /** `hidden`: those that are revoked are listed with `--all` alone; `gone`: none are kept. */
  readonly revoked: 'hidden' | 'gone';
};

/** Adds the command `list`. */
export function addList<Item>(
  { parent, context }: AccessCommand,
  { description, revoked, ...listing }: AccessListing<Item>,
): void {
  const command = parent.command('list').description(description);
  if (revoked === 'hidden') command.option('--all', 'those that are revoked as well');
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action(({ all, ...options }: ListOptions & { all?: true }) => {
      const query = { state: all || revoked === 'gone' ? undefined : 'live' };
      return showList<Item>(context, { ...listing, query, options });
    });
}

/** Request and output of `create`, `rotate` and `change`. */
interface Making<Made> {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly toRequest: (
    key: string,
    wish: object,
  ) => { readonly path: `/${string}`; readonly body: object };
  /** Tells what was made; the secret of a credential, if it has one, is on a line of its own. */
  readonly toText: (made: Made) => string;
  /** Makes it in the store; undefined when a bridge runs, which is asked then. */
  readonly makeAlone?: (context: CliContext, body: object) => Promise<unknown>;
}

/** Adds a command that makes something, and shows it. */
export function addMaking<Made>(
  { parent, context }: AccessCommand,
  { usage, description, options, toRequest, toText, makeAlone }: Making<Made>,
): void {
  const command = parent.command(usage).description(description);
  for (const option of options) command.addOption(option);
  command
    .option('--json', 'as one JSON object')
    .action(async (key: string, { json, ...wish }: { readonly json?: true }) => {
      const { path, body } = toRequest(key, wish);
      const made =
        (await makeAlone?.(context, body)) ?? (await context.connect().send('POST', path, body));
      const view = parseAnswer<Made>(made);
      context.write(json ? toJson(view) : toText(view));
    });
}

/** The end of a text with a secret. */
export const SHOWN_ONCE = '\nThis is the only time that it is shown.\n';

/** Request and output of `revoke` and `delete`. */
interface Ending<Options, Ended> {
  /** `revoke <name-or-id>` when left out. */
  readonly usage?: string;
  readonly description: string;
  readonly options?: readonly Option[];
  readonly toQuestion: (key: string, options: Options) => string;
  readonly end: (client: OpsClient, key: string, options: Options) => Promise<Ended>;
  readonly toText: (ended: Ended, options: Options) => string;
}

/** Adds a command that ends something, and asks first. */
export function addRevoke<Options extends object, Ended>(
  { parent, context }: AccessCommand,
  { usage = 'revoke <name-or-id>', options = [], ...ending }: Ending<Options, Ended>,
): void {
  const { description, toQuestion, end, toText } = ending;
  const command = parent.command(usage).description(description);
  for (const option of options) command.addOption(option);
  command
    .option(...YES)
    .option('--json', 'as one JSON object')
    .action(async (key: string, given: Options & { yes?: true; json?: true }) => {
      const { yes, json } = given;
      if (!(await confirm(command, context, { yes, question: toQuestion(key, given) }))) return;
      const ended = await end(context.connect(), key, given);
      context.write(json ? toJson(ended) : toText(ended, given));
    });
}

/** When a credential ends, or has ended. */
export function toState({ expiresAt, revokedAt }: Pick<Life, 'expiresAt' | 'revokedAt'>): string {
  if (revokedAt !== null) return `revoked ${toMoment(revokedAt)}`;
  return expiresAt === null ? 'never expires' : `expires ${toMoment(expiresAt)}`;
}

/** When a credential was presented last. */
export function toUse(lastUsedAt: string | null): string {
  return lastUsedAt === null ? 'never' : toMoment(lastUsedAt);
}

/** Expiry and last use, as text. */
export function toLifeText(life: Life): string {
  return `${toState(life)}, ${life.lastUsedAt === null ? 'never used' : `last used ${toUse(life.lastUsedAt)}`}`;
}

interface Life {
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** Creates the option `--profile`. */
export function profileOption(): Option {
  const help =
    'lenient, or strict: what the SCIM 2.0 Interoperability Profile has refused is refused';
  return new Option('--profile <profile>', help).choices(['lenient', 'strict']).default('lenient');
}

/** Creates the option `--expires`. */
export function expiresOption(help: string, otherwise: string): Option {
  return new Option('--expires <duration>', help).default(otherwise);
}

/** Words about the profile of a credential in a list; nothing about the usual one. */
export function toProfileText({ profile }: { readonly profile: string }): string {
  return profile === 'lenient' ? '' : `, ${profile}`;
}

/** Creates the option `--provider`. */
export function providerOption(): Option {
  return new Option('--provider <name>', 'the provider that presents it; default when left out');
}

/** Words about the provider of a credential in a list; nothing about the default one. */
export function toProviderText({ provider }: { readonly provider: string | null }): string {
  return provider === null || provider === DEFAULT_PROVIDER ? '' : `, of ${provider}`;
}
