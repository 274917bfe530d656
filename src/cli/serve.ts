import { request } from 'undici';
import { toLocalAddress } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import type { AddCommand } from './context.ts';

/** Serves until the process is asked to stop; resolves with the exit code. */
export type Serve = typeof import('../main.ts').serve;

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

const HEALTH_MS = 3_000;

/** `healthcheck`: asks the bridge of the same settings whether its process is healthy, for container engines. */
export const addHealthcheckCommand: AddCommand = (program, { loadSettings, write }) => {
  program
    .command('healthcheck')
    .description(
      'ask the bridge on this machine (`HOST`, `OPS_PORT` or `PORT`) whether it is well; fails when it is not',
    )
    .action(async () => {
      const { host, port, ops } = loadSettings().settings;
      const url = `${toLocalAddress(host, ops.port ?? port)}/healthz`;
      const signal = AbortSignal.timeout(HEALTH_MS);
      const { statusCode, body } = await request(url, { signal }).catch((cause: unknown) => {
        throw new BridgeError('healthcheck-failed', `${url} does not answer`, { cause });
      });
      await body.dump();
      if (statusCode !== 200)
        throw new BridgeError('healthcheck-failed', `${url} answered ${statusCode}`);
      write(`${url} is well\n`);
    });
};
