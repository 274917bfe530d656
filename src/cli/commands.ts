import { CLIENTS, PROVIDERS, SESSIONS, TOKENS } from '../ops/lists/access.ts';
import { DRIFTS, UNMANAGED } from '../ops/lists/drifts.ts';
import { PLANS } from '../ops/lists/plans.ts';
import { ACTS, LEAVERS, NOTIFICATIONS, REQUESTS } from '../ops/lists/records.ts';
import { GROUPS, USERS } from '../ops/lists/resources.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import {
  addClientCreate,
  addClientRevoke,
  addClientRotate,
  addProviderChange,
  addProviderCreate,
  addProviderDelete,
  addTokenCreate,
  addTokenRevoke,
} from './access.ts';
import {
  addAdoptCommand,
  addLookCommand,
  addPauseCommand,
  addReleaseCommand,
  addResumeCommand,
  addRetryCommand,
  addSessionRevoke,
  planDecisions,
} from './acts.ts';
import { apiCommand } from './api.ts';
import { addBackupCommand, addRestoreCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { addCompletionCommand } from './completion.ts';
import type { AddCommand } from './context.ts';
import { addDriftDecisions } from './decide-drifts.ts';
import { addEraseCommand } from './erase.ts';
import { addExplainCommand, addWhyCommand } from './explain.ts';
import { addCensusCommand, addImportIdsCommand, addSwitchCommand } from './exports.ts';
import { addGalleryCommand } from './gallery.ts';
import { addHealthcheckCommand } from './healthcheck.ts';
import { listCommand } from './listing.ts';
import { addMigrateStoreCommand } from './migrate-store.ts';
import { addNotificationsTest } from './notifications.ts';
import { addPlanShow } from './plan.ts';
import { addSandboxCommand } from './sandbox.ts';
import { serveCommand } from './serve.ts';
import { addSettingsCommand } from './settings.ts';
import { addStatusCommand } from './status.ts';
import { addSweepCommand } from './sweep.ts';

/** Every command, in the order of `--help`. */
export const commands: readonly AddCommand[] = [
  // Loaded on demand: a health check every few seconds must not load a server.
  serveCommand(async (...args) => (await import('../main.ts')).serve(...args)),
  checkCommand({ clock: systemClock, random: Math.random }),
  addSettingsCommand,
  addStatusCommand,
  listCommand(USERS),
  listCommand(GROUPS),
  listCommand(DRIFTS, addDriftDecisions('repair', 'accept', 'ignore')),
  listCommand(UNMANAGED, addDriftDecisions('adopt', 'ignore')),
  listCommand(REQUESTS),
  listCommand(ACTS),
  listCommand(LEAVERS),
  addCensusCommand,
  addGalleryCommand,
  addExplainCommand,
  addWhyCommand,
  addHealthcheckCommand,
  addSandboxCommand,
  addSweepCommand,
  ...[addClientCreate, addClientRotate, listCommand(CLIENTS), addClientRevoke],
  ...[addProviderCreate, listCommand(PROVIDERS), addProviderChange],
  ...[addSwitchCommand, addImportIdsCommand, addProviderDelete],
  ...[addTokenCreate, listCommand(TOKENS), addTokenRevoke],
  ...[listCommand(SESSIONS), addSessionRevoke],
  addAdoptCommand,
  addReleaseCommand,
  addEraseCommand,
  addPauseCommand,
  addResumeCommand,
  addRetryCommand,
  addLookCommand,
  ...[listCommand(NOTIFICATIONS), addNotificationsTest],
  ...[addPlanShow, listCommand(PLANS), ...planDecisions],
  // Loaded on demand: it knows every operation of the service, which no other command needs.
  apiCommand(async (...args) => (await import('./api/run-api.ts')).runApi(...args)),
  ...[addBackupCommand, addMigrateStoreCommand, addRestoreCommand],
  addCompletionCommand,
];
