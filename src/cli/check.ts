import type { LoadedSettings } from '../settings/load.ts';
import type { AddCommand } from './context.ts';

/** Options of a probe. */
export interface CheckOptions {
  readonly loaded: LoadedSettings;
  readonly format: 'text' | 'json';
  /** Standard output. */
  readonly write: (text: string) => void;
}

/** Probes the service and the store without changing them; resolves with the exit code. */
export type Check = (options: CheckOptions) => Promise<number>;

/** `check`: tests whether the bridge can work with the service, and suggests better settings. */
export function checkCommand(check: Check): AddCommand {
  return (program, { loadSettings, exitWith, write }) => {
    program
      .command('check')
      .description(
        'look at the service and the store without changing them: address, token, rights, open questions',
      )
      .option('--json', 'as one JSON object')
      .addHelpText('after', exitCodesHelp)
      .action(async ({ json }: { json?: true }) => {
        const format = json ? 'json' : 'text';
        exitWith(await check({ loaded: loadSettings(), format, write }));
      });
  };
}

const exitCodesHelp = `
Only reads are sent to the service, at the rate of upstream.requestsPerSecond.

Exit codes:
  0   everything that the bridge needs works; there may be warnings
  1   a check failed: its remedy says what to do
  78  the settings name no service`;
