import type { OpsClient } from '../app/ops-client.ts';
import type { CliContext } from './context.ts';

/** Finds the bridge that runs on this machine, or that OPS_URL names; undefined when none runs here. */
export async function findRunning({
  loadSettings,
  connect,
  env,
}: Pick<CliContext, 'loadSettings' | 'connect' | 'env'>): Promise<OpsClient | undefined> {
  const { ops } = loadSettings().settings;
  if (ops.url === undefined && ops.token === undefined && !env.SCIM_BRIDGE_TOKEN) return undefined;
  const client = connect();
  if (ops.url !== undefined) return client;
  return (await client.isAnswering()) ? client : undefined;
}
