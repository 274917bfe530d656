import { Command, CommanderError } from 'commander';
import { createOpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/values.ts';
import { access } from '../ops/lists/access.ts';
import { acts } from '../ops/lists/acts.ts';
import { CENSUS, HANDOVER, ID_IMPORT } from '../ops/lists/exports.ts';
import { records } from '../ops/lists/records.ts';
import { DRIFTS, GROUPS, PLANS, UNMANAGED, USERS } from '../ops/lists/tables.ts';
import { SettingsError } from '../settings/errors.ts';
import { loadSettings } from '../settings/load.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import * as special from './acts.ts';
import { type AddCommand, type CliWorld, defaultConfigFile, exitCodes } from './command.ts';
import { galleryCommand } from './gallery.ts';
import * as own from './own-commands.ts';
import { actCommand, fileCommand, listCommand } from './requests.ts';
import { sandboxCommands } from './sandbox.ts';
import * as show from './show.ts';

const EXIT_CODES_HELP = `
Exit codes:
  0   done
  1   failed: the message says why
  2   done, and the outcome is incomplete or has something to look at
  64  wrong usage; nothing was done
  75  not now: the same may succeed later
  78  the settings do not allow it`;

/** Runs one command line and returns the exit code. Only bugs are thrown. @param args without interpreter and script */
export async function runProgram(
  args: readonly string[],
  {
    version,
    commands,
    world,
  }: { version: string; commands: readonly AddCommand[]; world: CliWorld },
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
    exitWith(code: number) {
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
  } finally {
    showProgress(undefined);
  }
}

/** Refuses a command that does not exist: beside `--help` the help of the others would be printed. */
function assertKnown(program: Command, args: readonly string[]): void {
  if (!args.includes('--help') && !args.includes('-h')) return;
  let command = program;
  for (const word of args) {
    if (word.startsWith('-') || word === 'help' || command.commands.length === 0) return;
    const child = command.commands.find((known) => known.name() === word);
    command = child ?? command.error(`error: unknown command '${word}'`);
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

/** Every command, in the order of `--help`. */
export const commands: readonly AddCommand[] = [
  // Loaded on demand: a health check every few seconds must not load a server.
  own.serveCommand(async (...args) => (await import('../main.ts')).serve(...args)),
  own.checkCommand({ clock: systemClock, random: Math.random }),
  show.settingsCommand,
  show.statusCommand,
  listCommand(USERS),
  listCommand(GROUPS),
  listCommand(DRIFTS),
  special.decisionCommand('drifts', 'repair'),
  special.decisionCommand('drifts', 'accept'),
  special.decisionCommand('drifts', 'ignore'),
  listCommand(UNMANAGED),
  special.decisionCommand('unmanaged', 'adopt'),
  special.decisionCommand('unmanaged', 'ignore'),
  listCommand(records.REQUESTS),
  listCommand(records.ACTS),
  listCommand(records.LEAVERS),
  fileCommand(CENSUS),
  galleryCommand,
  show.explainCommand,
  show.whyCommand,
  own.healthcheckCommand,
  ...sandboxCommands,
  special.sweepCommand,
  actCommand(access.CLIENT_CREATE),
  actCommand(access.CLIENT_ROTATE),
  listCommand(access.CLIENTS),
  actCommand(access.CLIENT_REVOKE),
  actCommand(access.PROVIDER_CREATE),
  listCommand(access.PROVIDERS),
  actCommand(access.PROVIDER_CHANGE),
  fileCommand(HANDOVER),
  fileCommand(ID_IMPORT),
  actCommand(access.PROVIDER_DELETE),
  actCommand(access.TOKEN_CREATE, { send: special.makeToken }),
  listCommand(access.TOKENS),
  actCommand(access.TOKEN_REVOKE),
  listCommand(access.SESSIONS),
  actCommand(access.SESSION_REVOKE, { send: special.endSessions }),
  actCommand(acts.ADOPT),
  actCommand(acts.RELEASE),
  special.eraseCommand,
  actCommand(acts.PAUSE),
  actCommand(acts.RESUME, { findQuestion: special.findResumeQuestion }),
  actCommand(acts.RETRY, { send: special.retry }),
  actCommand(acts.LOOK),
  listCommand(records.NOTIFICATIONS),
  special.notificationsTestCommand,
  show.planCommand,
  listCommand(PLANS),
  actCommand(acts.PLAN_APPROVE),
  actCommand(acts.PLAN_DISCARD),
  actCommand(acts.PLAN_UNDO),
  own.apiCommand,
  own.backupCommand,
  own.migrateStoreCommand,
  own.restoreCommand,
];
