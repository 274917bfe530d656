import type { OpsClient } from '../app/ops-client.ts';
import type { GivenKey } from '../domain/ids.ts';
import { parseAnswer } from './json.ts';

/** Finds a user or group by a name or an id. @throws BridgeError `ops-failed` where none has it, or several */
export async function findResource(client: OpsClient, name: string): Promise<GivenKey> {
  return parseAnswer(await client.send('GET', `/explain/${encodeURIComponent(name)}`));
}
