import { access } from '../ops/lists/access.ts';
import { acts } from '../ops/lists/acts.ts';
import { DRIFTS, UNMANAGED } from '../ops/lists/drifts.ts';
import { CENSUS, HANDOVER, ID_IMPORT } from '../ops/lists/exports.ts';
import { PLANS } from '../ops/lists/plans.ts';
import { records } from '../ops/lists/records.ts';
import { GROUPS, USERS } from '../ops/lists/resources.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import * as special from './acts.ts';
import type { AddCommand } from './command.ts';
import { galleryCommand } from './gallery.ts';
import * as own from './own-commands.ts';
import { actCommand, fileCommand, listCommand } from './requests.ts';
import { sandboxCommands } from './sandbox.ts';
import * as show from './show.ts';

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
