import type { LoadedSettings } from '../settings/load.ts';
import type { AddCommand } from './context.ts';
import { createProgress } from './progress.ts';

/** Options of a probe. */
interface CheckOptions {
  readonly loaded: LoadedSettings;
  readonly format: 'text' | 'json';
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Hears how far it has come. */
  readonly told: (part: { readonly done: number; readonly total: number }) => void;
}

/** Probes the service and the store without changing them; resolves with the exit code. */
export type Check = (options: CheckOptions) => Promise<number>;

/** `check`: tests whether the bridge can work with the service. */
export function checkCommand(check: Check): AddCommand {
  return (program, context) => {
    const { loadSettings, exitWith, write } = context;
    program
      .command('check')
      .description(
        'look at the service and the store without changing them: address, token, rights, page limits',
      )
      .option('--json', 'as one JSON object')
      .addHelpText('after', help)
      .action(async ({ json }: { json?: true }) => {
        const format = json ? 'json' : 'text';
        const loaded = loadSettings();
        const progress = createProgress(context, { words: LOOKING });
        const told: CheckOptions['told'] = (part) => progress.tell(LOOKING, part);
        // What it finds is written when nothing more is told.
        const show = (text: string) => {
          progress.end();
          write(text);
        };
        exitWith(await check({ loaded, format, write: show, told }).finally(progress.end));
      });
  };
}

const LOOKING = 'Looking at the service';

const help = `
Only reads are sent to the service, at the rate of upstream.requestsPerSecond.`;
