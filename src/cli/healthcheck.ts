import { toLocalAddress } from '../app/local-address.ts';
import { BridgeError } from '../domain/errors.ts';
import type { Settings } from '../settings/schema.ts';
import type { AddCommand } from './context.ts';

const timeoutMs = 3_000;

/** `healthcheck`: asks the bridge of the same settings whether its process is healthy, for container engines. */
export const addHealthcheckCommand: AddCommand = (program, { loadSettings, write }) => {
  program
    .command('healthcheck')
    .description(
      'ask the bridge on this machine (`HOST`, `OPS_PORT` or `PORT`) whether it is well; fails when it is not',
    )
    .action(async () => {
      const { host, port, ops } = loadSettings().settings;
      const url = toHealthUrl({ host, port: ops.port ?? port });
      await assertHealthy(url);
      write(`${url} is well\n`);
    });
};

/** Address of `/healthz` for a process on the same machine. */
export function toHealthUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  return `${toLocalAddress(host, port)}/healthz`;
}

/** Asks the bridge at this address. By Node alone: container engines ask every few seconds. @throws BridgeError `healthcheck-failed` */
export async function assertHealthy(url: string): Promise<void> {
  const status = await readStatus(url).catch((cause: unknown) => {
    throw new BridgeError('healthcheck-failed', `${url} does not answer`, { cause });
  });
  if (status === 200) return;
  throw new BridgeError('healthcheck-failed', `${url} answered ${status}`);
}

// An import of `node:http` reads all that it exports, and so loads its WebSocket and fetch, which takes longer than the check.
const { get } = process.getBuiltinModule('node:http');

function readStatus(url: string): Promise<number | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    get(url, { agent: false, signal }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}
