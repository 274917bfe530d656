import type { OpsClient } from '../app/ops-client.ts';
import type { CliContext } from './context.ts';

/** Finds the bridge that runs on this machine, or that OPS_URL names; undefined when none runs here. */
export async function findRunning({
  loadSettings,
  connect,
}: Pick<CliContext, 'loadSettings' | 'connect'>): Promise<OpsClient | undefined> {
  const { ops } = loadSettings().settings;
  const hasToken = ops.token !== undefined || ops.commandToken !== undefined;
  if (ops.url === undefined && !hasToken) return undefined;
  const client = connect();
  if (ops.url !== undefined) return client;
  return (await client.isAnswering()) ? client : undefined;
}
