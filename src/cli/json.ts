import type { OpsClient } from '../app/ops-client.ts';
import type { GivenKey } from '../domain/ids.ts';

/** Prints a value for `--json`. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Types an answer of a bridge of the same version; the caller names the type that describes the route. */
export function parseAnswer<T>(answer: unknown): T {
  return answer as T;
}

/** Finds a user or group by a name or an id. @throws BridgeError `ops-failed` where none has it, or several */
export async function findResource(client: OpsClient, name: string): Promise<GivenKey> {
  return parseAnswer(await client.send('GET', `/explain/${encodeURIComponent(name)}`));
}
