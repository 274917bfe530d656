import { toCount } from '../domain/text.ts';
import type { Status, WritesView } from '../ops/schemas/state.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import { toMoment } from './lists.ts';

/** `pause`: stops all changes of the service, in every process on the store, until `resume`. */
export const addPauseCommand: AddCommand = (program, { connect, write }) => {
  program
    .command('pause')
    .description('change nothing in the service until `resume` (asks the running bridge)')
    .option('--reason <text>', 'why, for whoever reads the status')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async ({ reason, json }: { reason?: string; json?: true }) => {
      const client = connect();
      const body = reason === undefined ? {} : { reason };
      write(toShown(await client.send('POST', '/pause', body), json));
    });
};

/** `resume`: ends the pause. */
export const addResumeCommand: AddCommand = (program, context) => {
  const { connect, write } = context;
  const command = program.command('resume');
  command
    .description('change the service again after `pause` (asks the running bridge)')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .action(async ({ yes, json }: { yes?: true; json?: true }) => {
      const client = connect();
      const { writes } = parseAnswer<Status>(await client.send('GET', '/status'));
      const question = `${toWaiting(writes)} for the service. Let all of it go?`;
      if (letsGo(writes) && !(await confirm(command, context, { yes, question }))) return;
      write(toShown(await client.send('POST', '/resume'), json));
    });
};

/** True where the end of the pause has something brought to the service. */
function letsGo({ mode, paused, waiting }: WritesView): boolean {
  return mode === 'live' && paused !== null && waiting > 0;
}

const help = `
Providers are answered as always, and what they send is kept. Calls that are on their way end; no other is sent. The
pause survives restarts. Other processes on the same PostgreSQL follow within a second.`;

function toShown(answer: unknown, json: true | undefined): string {
  return json ? toJson(answer) : toText(parseAnswer<WritesView>(answer));
}

function toText({ mode, paused, waiting }: WritesView): string {
  const what = toWaiting({ waiting });
  if (paused !== null) return `Paused since ${toMoment(paused.since)}: ${what} for the service.\n`;
  if (mode === 'observe') return `Not paused, but the bridge only observes: ${what}.\n`;
  return `Not paused: ${what} for the service.\n`;
}

function toWaiting({ waiting }: Pick<WritesView, 'waiting'>): string {
  return toCount(waiting, 'person or group waits', 'people and groups wait');
}
