import * as access from '../ops/lists/access.ts';
import * as acts from '../ops/lists/acts.ts';
import { DRIFTS, UNMANAGED } from '../ops/lists/drifts.ts';
import { CENSUS, HANDOVER, ID_IMPORT } from '../ops/lists/exports.ts';
import { PLANS } from '../ops/lists/plans.ts';
import * as records from '../ops/lists/records.ts';
import { GROUPS, USERS } from '../ops/lists/resources.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { actCommand, fileCommand } from './act-command.ts';
import * as special from './acts.ts';
import { addApiCommand } from './api.ts';
import { checkCommand } from './check.ts';
import type { AddCommand } from './context.ts';
import { addGalleryCommand } from './gallery.ts';
import { listCommand } from './listing.ts';
import { addSandboxCommand } from './sandbox.ts';
import { addHealthcheckCommand, serveCommand } from './serve.ts';
import { addExplainCommand, addPlanShow, addStatusCommand, addWhyCommand } from './show.ts';
import { addBackupCommand, addMigrateStoreCommand, addRestoreCommand } from './store-commands.ts';
import { addSweepCommand } from './sweep.ts';

/** Every command, in the order of `--help`. */
export const commands: readonly AddCommand[] = [
  // Loaded on demand: a health check every few seconds must not load a server.
  serveCommand(async (...args) => (await import('../main.ts')).serve(...args)),
  checkCommand({ clock: systemClock, random: Math.random }),
  special.addSettingsCommand,
  addStatusCommand,
  listCommand(USERS),
  listCommand(GROUPS),
  listCommand(DRIFTS, special.addDriftDecisions('repair', 'accept', 'ignore')),
  listCommand(UNMANAGED, special.addDriftDecisions('adopt', 'ignore')),
  listCommand(records.REQUESTS),
  listCommand(records.ACTS),
  listCommand(records.LEAVERS),
  fileCommand(CENSUS),
  addGalleryCommand,
  addExplainCommand,
  addWhyCommand,
  addHealthcheckCommand,
  addSandboxCommand,
  addSweepCommand,
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
  actCommand(acts.ADOPT, { findQuestion: special.findAdoptQuestion }),
  actCommand(acts.RELEASE),
  special.addErase,
  actCommand(acts.PAUSE),
  actCommand(acts.RESUME, { findQuestion: special.findResumeQuestion }),
  actCommand(acts.RETRY, { findFault: special.findRetryFault }),
  actCommand(acts.LOOK),
  listCommand(records.NOTIFICATIONS),
  special.addNotificationsTest,
  addPlanShow,
  listCommand(PLANS),
  actCommand(acts.PLAN_APPROVE),
  actCommand(acts.PLAN_DISCARD),
  actCommand(acts.PLAN_UNDO),
  addApiCommand,
  addBackupCommand,
  addMigrateStoreCommand,
  addRestoreCommand,
];
