import { createOpsClient, type OpsClient } from '../app/ops-client.ts';
import type { Settings } from '../settings/schema.ts';

/** Finds the bridge that runs on this machine, or that OPS_URL names; undefined when none runs here. */
export async function findRunning(settings: Settings): Promise<OpsClient | undefined> {
  if (settings.ops.url === undefined && settings.ops.token === undefined) return undefined;
  const client = createOpsClient(settings);
  if (settings.ops.url !== undefined) return client;
  return (await client.isAnswering()) ? client : undefined;
}
