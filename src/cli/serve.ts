import type { LoadedSettings } from '../settings/load.ts';
import type { AddCommand, CliContext } from './context.ts';

/** Serves until the process is asked to stop; resolves with the exit code. */
export type Serve = (
  loaded: LoadedSettings,
  world: Pick<CliContext, 'write' | 'env' | 'untilStopped' | 'onHangUp' | 'terminal'> & {
    readonly reload: () => LoadedSettings;
  },
) => Promise<number>;

/** `serve`: runs the bridge. */
export function serveCommand(serve: Serve): AddCommand {
  return (program, { loadSettings, exitWith, ...world }) => {
    program
      .command('serve')
      .description('serve the bridge until SIGTERM or SIGINT')
      .action(async () =>
        exitWith(await serve(loadSettings(), { ...world, reload: loadSettings })),
      );
  };
}
