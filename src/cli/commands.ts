import {
  CLIENT_CREATE,
  CLIENT_REVOKE,
  CLIENT_ROTATE,
  CLIENTS,
  PROVIDER_CHANGE,
  PROVIDER_CREATE,
  PROVIDER_DELETE,
  PROVIDERS,
  SESSION_REVOKE,
  SESSIONS,
  TOKEN_CREATE,
  TOKEN_REVOKE,
  TOKENS,
} from '../ops/lists/access.ts';
import {
  ADOPT,
  LOOK,
  PAUSE,
  PLAN_APPROVE,
  PLAN_DISCARD,
  PLAN_UNDO,
  RELEASE,
  RESUME,
  RETRY,
} from '../ops/lists/acts.ts';
import { DRIFTS, UNMANAGED } from '../ops/lists/drifts.ts';
import { PLANS } from '../ops/lists/plans.ts';
import { ACTS, LEAVERS, NOTIFICATIONS, REQUESTS } from '../ops/lists/records.ts';
import { GROUPS, USERS } from '../ops/lists/resources.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { actCommand } from './act-command.ts';
import {
  addErase,
  addNotificationsTest,
  addSettingsCommand,
  endSessions,
  findAdoptQuestion,
  findResumeQuestion,
  makeToken,
  toEndedText,
} from './acts.ts';
import { apiCommand } from './api.ts';
import { checkCommand } from './check.ts';
import { addCompletionCommand } from './completion.ts';
import type { AddCommand } from './context.ts';
import { addDriftDecisions } from './decide-drifts.ts';
import { addExplainCommand, addWhyCommand } from './explain.ts';
import { addCensusCommand, providerExportCommands } from './exports.ts';
import { addGalleryCommand } from './gallery.ts';
import { addHealthcheckCommand } from './healthcheck.ts';
import { listCommand } from './listing.ts';
import { addPlanShow } from './plan.ts';
import { addSandboxCommand } from './sandbox.ts';
import { serveCommand } from './serve.ts';
import { addStatusCommand } from './status.ts';
import { addBackupCommand, addMigrateStoreCommand, addRestoreCommand } from './store-commands.ts';
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
  actCommand(CLIENT_CREATE),
  actCommand(CLIENT_ROTATE),
  listCommand(CLIENTS),
  actCommand(CLIENT_REVOKE),
  actCommand(PROVIDER_CREATE),
  listCommand(PROVIDERS),
  actCommand(PROVIDER_CHANGE),
  ...providerExportCommands,
  actCommand(PROVIDER_DELETE),
  actCommand(TOKEN_CREATE, { send: makeToken }),
  listCommand(TOKENS),
  actCommand(TOKEN_REVOKE),
  listCommand(SESSIONS),
  actCommand(SESSION_REVOKE, { send: endSessions, say: toEndedText }),
  actCommand(ADOPT, { findQuestion: findAdoptQuestion }),
  actCommand(RELEASE),
  addErase,
  actCommand(PAUSE),
  actCommand(RESUME, { findQuestion: findResumeQuestion }),
  actCommand(RETRY, {
    findFault: ({ name, all }) =>
      (name === undefined) === (all === true)
        ? undefined
        : 'name one person or group, or say --all',
  }),
  actCommand(LOOK),
  listCommand(NOTIFICATIONS),
  addNotificationsTest,
  addPlanShow,
  listCommand(PLANS),
  actCommand(PLAN_APPROVE),
  actCommand(PLAN_DISCARD),
  actCommand(PLAN_UNDO),
  // Loaded on demand: it knows every operation of the service, which no other command needs.
  apiCommand(async (...args) => (await import('./api/run-api.ts')).runApi(...args)),
  addBackupCommand,
  addMigrateStoreCommand,
  addRestoreCommand,
  addCompletionCommand,
];
