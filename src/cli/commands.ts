import { systemClock } from '../telemetry/system-clock.ts';
import { addAdoptCommand, addReleaseCommand } from './adopt.ts';
import { apiCommand } from './api.ts';
import { backupCommand } from './backup.ts';
import { addCensusCommand } from './census.ts';
import { checkCommand } from './check.ts';
import { addClientCommand } from './client.ts';
import { addCompletionCommand } from './completion.ts';
import type { AddCommand } from './context.ts';
import { addEraseCommand } from './erase.ts';
import { addExplainCommand } from './explain.ts';
import { addGalleryCommand } from './gallery.ts';
import { addHealthcheckCommand } from './healthcheck.ts';
import { addLeaversCommand } from './leavers.ts';
import {
  addActsCommand,
  addDriftsCommand,
  addRequestsCommand,
  addUnmanagedCommand,
} from './lists.ts';
import { addLookCommand } from './look.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { addNotificationsCommand } from './notifications.ts';
import { addPauseCommand, addResumeCommand } from './pause.ts';
import { addPlanCommand } from './plan.ts';
import { addProviderCommand } from './provider.ts';
import { addGroupsCommand, addUsersCommand } from './resource-lists.ts';
import { restoreCommand } from './restore.ts';
import { addRetryCommand } from './retry.ts';
import { addSandboxCommand } from './sandbox.ts';
import { serveCommand } from './serve.ts';
import { addSessionCommand } from './session.ts';
import { addSettingsCommand } from './settings.ts';
import { addStatusCommand } from './status.ts';
import { addSweepCommand } from './sweep.ts';
import { tokenCommand } from './token.ts';
import { addWhyCommand } from './why.ts';

/** Every command, in the order of `--help`. */
export const commands: readonly AddCommand[] = [
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
  addUnmanagedCommand,
  addRequestsCommand,
  addActsCommand,
  addLeaversCommand,
  addCensusCommand,
  addGalleryCommand,
  addExplainCommand,
  addWhyCommand,
  addHealthcheckCommand,
  addSandboxCommand,
  addSweepCommand,
  addClientCommand,
  addProviderCommand,
  tokenCommand(async (...args) => (await import('../app/make-token.ts')).makeTokenInStore(...args)),
  addSessionCommand,
  addAdoptCommand,
  addReleaseCommand,
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
    migrateStore: async (...args) => (await import('./move-store.ts')).migrateStore(...args),
    undoMove: async (...args) => (await import('./move-store.ts')).undoMove(...args),
  }),
  restoreCommand({
    markRestored: async (settings) => (await import('./backup-store.ts')).markRestored(settings),
    restoreStore: async (...args) => (await import('./backup-store.ts')).restoreStore(...args),
  }),
  addCompletionCommand,
];
