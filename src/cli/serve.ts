import type { LoadedSettings } from '../settings/load.ts';
import type { AddCommand } from './context.ts';

/** Serves until the process is asked to stop; resolves with the exit code. */
export type Serve = (loaded: LoadedSettings) => Promise<number>;

/** `serve`: the bridge itself. */
export function serveCommand(serve: Serve): AddCommand {
  return (program, { loadSettings, exitWith }) => {
    program
      .command('serve')
      .description('serve the bridge until SIGTERM or SIGINT')
      .action(async () => exitWith(await serve(loadSettings())));
  };
}
