import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { readPackageVersion } from '../app/package-version.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { addAdoptCommand } from './adopt.ts';
import { apiCommand } from './api.ts';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { clientCommand } from './client.ts';
import { addCompletionCommand } from './completion.ts';
import { addEraseCommand } from './erase.ts';
import { addExplainCommand } from './explain.ts';
import { addHealthcheckCommand } from './healthcheck.ts';
import {
  addActsCommand,
  addDriftsCommand,
  addGroupsCommand,
  addRequestsCommand,
  addUsersCommand,
} from './lists.ts';
import { addLookCommand } from './look.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { addNotificationsCommand } from './notifications.ts';
import { addPauseCommand, addResumeCommand } from './pause.ts';
import { addPlanCommand } from './plan.ts';
import { runProgram } from './program.ts';
import { restoreCommand } from './restore.ts';
import { addRetryCommand } from './retry.ts';
import { addSandboxCommand } from './sandbox.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { addSettingsCommand } from './settings.ts';
import { addStatusCommand } from './status.ts';
import { sweepCommand } from './sweep.ts';
import { openTerminal } from './terminal.ts';
import { tokenCommand } from './token.ts';
import { addWhyCommand } from './why.ts';

// The command line itself: only this file of the folder touches the process.

// An output that takes nothing any more, as on a full disk or after its terminal, ends no bridge.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), {
  version: readPackageVersion(),
  commands: [
    // Loaded on demand: a health check every few seconds must not load a server.
    serveCommand(async (...args) => (await import('../main.ts')).serve(...args)),
    checkCommand(async (options) => {
      const { createCheck } = await import('./probe-service.ts');
      return createCheck({ clock: systemClock, random: Math.random })(options);
    }),
    addSettingsCommand,
    addStatusCommand,
    addUsersCommand,
    addGroupsCommand,
    addDriftsCommand,
    addRequestsCommand,
    addActsCommand,
    addExplainCommand,
    addWhyCommand,
    addHealthcheckCommand,
    addSandboxCommand,
    sweepCommand(async (...args) => (await import('../app/own-bridge.ts')).withOwnBridge(...args)),
    clientCommand(async (...args) => (await import('../app/own-access.ts')).withOwnAccess(...args)),
    tokenCommand(async (...args) => (await import('../app/own-access.ts')).withOwnAccess(...args)),
    sessionCommand(async (...args) =>
      (await import('../app/own-access.ts')).withOwnAccess(...args),
    ),
    addAdoptCommand,
    addEraseCommand,
    addPauseCommand,
    addResumeCommand,
    addRetryCommand,
    addLookCommand,
    addNotificationsCommand,
    addPlanCommand,
    // Loaded on demand: it knows every operation of the service, which no other command needs.
    apiCommand(async (...args) => (await import('./api/run-api.ts')).runApi(...args)),
    backupCommand(async (...args) => (await import('./backup-store.ts')).backUpStore(...args)),
    migrateStoreCommand({
      checkMove: async (...args) => (await import('./move-store.ts')).checkMove(...args),
      migrateStore: async (...args) => (await import('./move-store.ts')).migrateStore(...args),
      undoMove: async (...args) => (await import('./move-store.ts')).undoMove(...args),
    }),
    restoreCommand({
      markRestored: async (settings) => (await import('./backup-store.ts')).markRestored(settings),
      restoreStore: async (...args) => (await import('./backup-store.ts')).restoreStore(...args),
    }),
    addCompletionCommand,
  ],
  world: {
    env: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    readInput: () => text(process.stdin),
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    untilStopped,
    onHangUp: (hear) => void process.on('SIGHUP', hear),
    ...openTerminal(process),
  },
});

/** Resolves with the name of the signal that asks this process to stop: SIGTERM, or SIGINT (Ctrl-C). */
function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (signal: string) => {
      // The next Ctrl-C ends the process at once, as is usual.
      process.off('SIGTERM', stop).off('SIGINT', stop);
      resolve(signal);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
