import { request } from 'undici';
import { toLocalAddress } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { type AddCommand, commandOf } from './command.ts';

/** Serves until the process is asked to stop; resolves with the exit code. */
export type Serve = typeof import('../main.ts').serve;

/** `serve`: runs the bridge. */
export function serveCommand(serve: Serve): AddCommand {
  return commandOf({
    usage: 'serve',
    about: 'serve the bridge until SIGTERM or SIGINT',
    async run({ loadSettings, exitWith, ...world }) {
      exitWith(await serve(loadSettings(), { ...world, reload: loadSettings }));
      return undefined;
    },
  });
}

const HEALTH_MS = 3_000;

/** `healthcheck`: asks the bridge of the same settings whether its process is healthy, for container engines. */
export const healthcheckCommand = commandOf({
  usage: 'healthcheck',
  about:
    'ask the bridge on this machine (`HOST`, `OPS_PORT` or `PORT`) whether it is well; fails when it is not',
  async run({ loadSettings }) {
    const { host, port, ops } = loadSettings().settings;
    const url = `${toLocalAddress(host, ops.port ?? port)}/healthz`;
    const signal = AbortSignal.timeout(HEALTH_MS);
    const { statusCode, body } = await request(url, { signal }).catch((cause: unknown) => {
      throw new BridgeError('healthcheck-failed', `${url} does not answer`, { cause });
    });
    await body.dump();
    if (statusCode === 200) return { text: `${url} is well\n` };
    throw new BridgeError('healthcheck-failed', `${url} answered ${statusCode}`);
  },
});
