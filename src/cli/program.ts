import { Command, CommanderError } from 'commander';
import { createOpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { SettingsError } from '../settings/errors.ts';
import { loadSettings } from '../settings/load.ts';
import { findNearest } from '../settings/nearest.ts';
import { type AddCommand, type CliContext, type CliWorld, defaultConfigFile } from './context.ts';
import { exitCodes, exitCodesHelp } from './json.ts';
import { withProgress } from './progress.ts';

interface ProgramParts {
  readonly version: string;
  readonly commands: readonly AddCommand[];
  readonly world: CliWorld;
}

/**
 * Runs one command line and returns the exit code. Failures are printed on standard error; only bugs are thrown.
 * @param args without the interpreter and the script.
 */
export async function runProgram(
  args: readonly string[],
  { version, commands, world }: ProgramParts,
): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(version, world);
  const load = () => {
    const { config } = program.opts<{ config?: string }>();
    return loadSettings({
      ...world,
      configFile: config ?? (world.env.CONFIG || defaultConfigFile),
    });
  };
  const context: CliContext = {
    ...world,
    loadSettings: load,
    connect: (timeoutMs) => withProgress(createOpsClient(load().settings, timeoutMs), world),
    exitWith: (code) => {
      exitCode = code;
    },
  };
  for (const addCommand of commands) addCommand(program, context);
  try {
    assertKnown(program, args);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return tellFailure(error, world);
  }
}

function createProgram(version: string, { write, writeError }: CliWorld): Command {
  return new Command('scim-bridge')
    .description('A SCIM 2.0 server in front of a work-management service.')
    .version(version)
    .option('--config <file>', 'YAML file with settings (or CONFIG; default: config/default.yaml)')
    .addHelpText('after', exitCodesHelp)
    .showHelpAfterError('Try --help.')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError });
}

const HELP: readonly string[] = ['--help', '-h'];

/** Refuses a command that does not exist, also beside `--help`, which would print the help of the others. */
function assertKnown(program: Command, args: readonly string[]): void {
  let command = program;
  for (let place = 0; command.commands.length > 0; ) {
    const word = args[place];
    if (word === undefined) return;
    if (word.startsWith('-')) {
      const words = countWords(command, word);
      // Commander refuses an option that it does not know. What follows that one is no command.
      if (words === undefined) return;
      place += words;
      continue;
    }
    const child = command.commands.find((known) => known.name() === word);
    if (child === undefined && word !== 'help') refuseUnknown(command, word);
    if (child === undefined) return;
    command = child;
    place += 1;
  }
}

/** Counts the words of an option, with its value; undefined: the command has no such option. */
function countWords({ options }: Command, word: string): number | undefined {
  const [name] = word.split('=');
  const option = options.find(({ long, short }) => name === long || name === short);
  if (option === undefined) return HELP.includes(word) ? 1 : undefined;
  return option.required && word === name ? 2 : 1;
}

function refuseUnknown(command: Command, word: string): never {
  const names = command.commands.map((known) => known.name());
  const nearest = findNearest(word, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return command.error(`error: unknown command '${word}'${hint}`);
}

function tellFailure(error: unknown, { writeError }: CliWorld): number {
  // Commander has already printed the error, the help or the version.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof BridgeError)) throw error;
  writeError(`${error.message}\n`);
  return error instanceof SettingsError ? exitCodes.settings : exitCodes.failed;
}
