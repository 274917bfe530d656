import { request } from 'undici';
import { toLocalAddress } from '../app/local-address.ts';
import { BridgeError } from '../domain/errors.ts';
import type { Settings } from '../settings/schema.ts';
import type { AddCommand } from './context.ts';

const timeoutMs = 3_000;

/** `healthcheck`: asks the bridge of the same settings whether its process is healthy, for container engines. */
export const addHealthcheckCommand: AddCommand = (program, { loadSettings, write }) => {
  program
    .command('healthcheck')
    .description('ask the running bridge whether it is well; fails when it is not')
    .action(async () => {
      const url = toHealthUrl(loadSettings().settings);
      await assertHealthy(url);
      write(`${url} is well\n`);
    });
};

/** Address of `/healthz` for a process on the same machine. */
export function toHealthUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  return `${toLocalAddress(host, port)}/healthz`;
}

async function assertHealthy(url: string): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { statusCode, body } = await request(url, { signal }).catch((cause: unknown) => {
    throw new BridgeError('healthcheck-failed', `${url} does not answer`, { cause });
  });
  await body.dump();
  if (statusCode !== 200) {
    throw new BridgeError('healthcheck-failed', `${url} answered ${statusCode}`);
  }
}
