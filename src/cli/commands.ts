import { SESSIONS } from '../ops/lists/access.ts';
import { DRIFTS, UNMANAGED } from '../ops/lists/drifts.ts';
import { PLANS } from '../ops/lists/plans.ts';
import { ACTS, LEAVERS, NOTIFICATIONS, REQUESTS } from '../ops/lists/records.ts';
import { GROUPS, USERS } from '../ops/lists/resources.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { accessCommands } from './access.ts';
import { acts, addSessionRevoke, planActs } from './acts.ts';
import { apiCommand } from './api.ts';
import { addBackupCommand, addRestoreCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { addCompletionCommand } from './completion.ts';
import type { AddCommand } from './context.ts';
import { addDriftDecisions } from './decide-drifts.ts';
import { addExplainCommand, addWhyCommand } from './explain.ts';
import { addCensusCommand } from './exports.ts';
import { addGalleryCommand } from './gallery.ts';
import { addHealthcheckCommand } from './healthcheck.ts';
import { addNotificationsTest, addSettingsCommand, listCommand } from './listing.ts';
import { addMigrateStoreCommand } from './migrate-store.ts';
import { addPlanShow } from './plan.ts';
import { addSandboxCommand } from './sandbox.ts';
import { serveCommand } from './serve.ts';
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
  ...accessCommands,
  listCommand(SESSIONS),
  addSessionRevoke,
  ...acts,
  listCommand(NOTIFICATIONS),
  addNotificationsTest,
  addPlanShow,
  listCommand(PLANS),
  ...planActs,
  // Loaded on demand: it knows every operation of the service, which no other command needs.
  apiCommand(async (...args) => (await import('./api/run-api.ts')).runApi(...args)),
  addBackupCommand,
  addMigrateStoreCommand,
  addRestoreCommand,
  addCompletionCommand,
];
