import { join } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { isAnswered } from '../app/ops-client.ts';
import type { ServeWorld } from '../main.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Screen, tableOf } from './table.ts';

/** Settings file where none is named: the same from any working directory, in a clone (`src/cli`) and in a package (`dist/cli`). */
export const defaultConfigFile = join(import.meta.dirname, '../../config/default.yaml');

/** The process as a command sees it; tests bring their own. */
export interface CliWorld extends Screen, Omit<ServeWorld, 'terminal'> {
  /** Returns a file's text; throws when it cannot. */
  readonly readFile: (path: string) => string;
  readonly readInput: () => Promise<string>;
  readonly writeError: (text: string) => void;
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Shows a line in the place of the one before, until something is printed; undefined: standard error is no terminal. */
  readonly showProgress?: ((line: string | undefined) => void) | undefined;
}

/** Context of a command. */
export interface CliContext extends CliWorld {
  /** Loads the settings that `--config`, `CONFIG` and the environment give. @throws SettingsError */
  readonly loadSettings: () => LoadedSettings;
  /** Client of the running bridge, with `ops.commandToken` or else `ops.token`. @throws BridgeError `ops-failed` */
  readonly connect: (timeoutMs?: number) => OpsClient;
}

/** What was typed, and where it runs. */
export interface Call<Typed> extends CliContext {
  readonly command: Command;
  readonly typed: Typed;
}

/** A result: JSON for `--json`, the table as CSV for `--csv`, else the text with the table behind it. */
export interface Output {
  readonly json?: unknown;
  readonly text?: string;
  readonly table?: ReturnType<typeof tableOf>;
  readonly notes?: string;
  readonly code?: number | undefined;
}

/** A command. */
export interface CommandRow<Typed = never> {
  readonly usage: string;
  readonly about: string;
  readonly help?: string | undefined;
  readonly configure?: (command: Command) => unknown;
  readonly options?: readonly (
    | Option
    | readonly [flags: string, meaning: string, usual?: string]
  )[];
  /** Does it. @returns what is printed; undefined: nothing more */
  readonly run: (call: Call<Typed>) => Promise<Output | undefined>;
}

/** The command was typed wrongly; nothing was done. */
export class WrongUsage extends Error {}

const PARENTS: Readonly<Record<string, string>> = {
  client: 'OAuth clients and their secrets',
  provider: 'identity providers and what each may do',
  token: 'named tokens of providers and operators',
  session: 'sign-ins to the console',
  notifications: 'what receivers did not get yet',
  plan: 'what the bridge would do in the service',
  report: 'reports for auditors',
};

/** Types what is typed behind a command by what its `run` takes. */
export function commandOf<Typed = unknown>(row: CommandRow<Typed>): CommandRow {
  return row;
}

/** Adds a command to the program; what it does is left to the caller. */
export function addCommand(program: Command, row: CommandRow): Command {
  const { usage, about, help, configure, options = [] } = row;
  const command = addEmpty(program, usage)
    .description(about)
    .addHelpText('after', help ? `\n${help}` : '');
  for (const one of options)
    one instanceof Option ? command.addOption(one) : command.option(...one);
  configure?.(command);
  return command;
}

/** Runs a command that was typed, prints its result, and returns the exit code. */
export async function runCommand({ run }: CommandRow, command: Command, context: CliContext) {
  const { processedArgs, registeredArguments } = command;
  const named = registeredArguments.map(
    (one, place) => [one.name(), processedArgs[place]] as const,
  );
  const typed = Object.assign(command.opts<never>(), Object.fromEntries(named));
  const output = await run({ ...context, command, typed }).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error;
    const message = error.message.replaceAll(/`(\w+)`/g, (quoted, name: string) => {
      const option = command.options.find((one) => one.attributeName() === name);
      return option?.long ?? (named.some(([one]) => one === name) ? `<${name}>` : quoted);
    });
    const isTyped = message !== error.message && isAnswered(error, 400);
    if (isTyped || error instanceof WrongUsage) return command.error(`error: ${message}`);
    throw Object.assign(error, { message });
  });
  if (output === undefined) return exitCodes.done;
  context.write(print(output, command.opts(), context));
  context.writeError(output.notes ?? '');
  return output.code ?? exitCodes.done;
}

/** Adds the command below the one that its usage begins with. */
function addEmpty(program: Command, usage: string): Command {
  const [first = '', second = ''] = usage.split(' ');
  if (!/^[a-z]/.test(second)) return program.command(usage);
  const known = program.commands.find((command) => command.name() === first);
  const parent = known ?? program.command(first).description(PARENTS[first] ?? '');
  // What stands behind the word of a command is for it, and not for the list of the same name.
  return parent.enablePositionalOptions().command(usage.slice(first.length + 1));
}

function print(
  { json, text = '', table }: Output,
  options: { readonly json?: true; readonly csv?: true },
  screen: Screen,
): string {
  if (options.json) return toJson(json);
  if (options.csv && table) return table.toCsv();
  return `${text}${table?.toText(screen) ?? ''}`;
}

/** Asks before something dangerous; false: no. `--yes` answers it. @throws WrongUsage without it where nobody can be asked */
export async function confirm(call: Call<unknown>, question: string): Promise<boolean> {
  if (call.command.opts().yes) return true;
  if (call.ask === undefined)
    throw new WrongUsage(`${question} Nobody can be asked here: say --yes. Nothing was done.`);
  const answer = await call.ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  call.writeError('Nothing was done.\n');
  return false;
}

/** Prints a value for `--json`. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Exit codes for scripts. 2: an incomplete answer, which is no failure. 64, 75 and 78 as in BSD's sysexits(3). */
export const exitCodes = {
  done: 0,
  failed: 1,
  incomplete: 2,
  usage: 64,
  later: 75,
  settings: 78,
} as const;
