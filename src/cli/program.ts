import { Command, CommanderError } from 'commander';
import { createOpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/values.ts';
import { access } from '../ops/lists/access.ts';
import { acts, decisions } from '../ops/lists/acts.ts';
import { CENSUS } from '../ops/lists/exports.ts';
import { records } from '../ops/lists/records.ts';
import { DRIFTS, GROUPS, PLANS, UNMANAGED, USERS } from '../ops/lists/tables.ts';
import { SettingsError } from '../settings/errors.ts';
import { loadSettings } from '../settings/load.ts';
import type { CliWorld, CommandRow } from './command.ts';
import { addCommand, defaultConfigFile, exitCodes, runCommand } from './command.ts';
import { galleryCommand } from './gallery.ts';
import { makeToken, own } from './own-commands.ts';
import type { Row } from './requests.ts';
import { rowCommand } from './requests.ts';
import { sandboxCommands } from './sandbox.ts';
import { show } from './show.ts';

const EXIT_CODES_HELP = `
Exit codes:
  0   done
  1   failed: the message says why
  2   done, and the outcome is incomplete or has something to look at
  64  wrong usage; nothing was done
  75  not now: the same may succeed later
  78  settings are wrong or missing`;

/** Runs one command line and returns the exit code. Only bugs are thrown. @param args without interpreter and script */
export async function runProgram(
  args: readonly string[],
  {
    version,
    commands,
    world,
  }: { version: string; commands: readonly CommandRow[]; world: CliWorld },
): Promise<number> {
  let exitCode: number = exitCodes.done;
  let hasProgress = false;
  const showProgress = (line: string | undefined) => {
    if (hasProgress || line !== undefined) world.showProgress?.(line);
    hasProgress = line !== undefined;
  };
  const program = new Command('scim-bridge')
    .description('A SCIM 2.0 server in front of a work-management service.')
    .version(version)
    .option('--config <file>', 'YAML file with settings (or CONFIG; default: config/default.yaml)')
    .addHelpText('afterAll', EXIT_CODES_HELP)
    .showHelpAfterError('Try --help.')
    .exitOverride()
    .configureOutput({ writeOut: world.write, writeErr: world.writeError });
  const load = () => {
    const { config } = program.opts<{ config?: string }>();
    const configFile = config ?? (world.env.CONFIG || defaultConfigFile);
    return loadSettings({ ...world, configFile });
  };
  const context = {
    ...world,
    write(text: string) {
      showProgress(undefined);
      world.write(text);
    },
    showProgress,
    loadSettings: load,
    connect: (timeoutMs?: number) => createOpsClient(load().settings, timeoutMs),
  };
  for (const row of commands) {
    const command = addCommand(program, row);
    command.action(async () => {
      exitCode = await runCommand(row, command, context);
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return tellFailure(error, world);
  } finally {
    showProgress(undefined);
  }
}

function tellFailure(error: unknown, { writeError }: CliWorld): number {
  // Commander has already printed the error, the help or the version.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof BridgeError)) throw error;
  writeError(`${error.message}\n`);
  return error instanceof SettingsError ? exitCodes.settings : exitCodes.failed;
}

const rows: readonly (CommandRow | Row)[] = [
  ...Object.values(own),
  ...Object.values(show),
  ...[USERS, GROUPS, DRIFTS, UNMANAGED, PLANS, CENSUS, galleryCommand],
  ...Object.values(decisions),
  ...Object.values(records),
  // The command `sweep` waits for the end.
  ...Object.values(acts).filter((act) => act !== acts.SWEEP),
  ...Object.values(access),
  ...sandboxCommands,
];

/** Every command, in the order of `--help`. */
export const commands = rows.map((row): CommandRow => {
  if ('run' in row) return row;
  return rowCommand(row, row === access.TOKEN_CREATE ? makeToken : undefined);
});
