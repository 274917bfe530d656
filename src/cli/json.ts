import type { OpsClient } from '../app/ops-client.ts';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';

/** Prints a value for `--json`. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Types an answer of a bridge of the same version; the caller names the type that describes the route. */
export function parseAnswer<T>(answer: unknown): T {
  return answer as T;
}

/** Reads below `/ops`. `name` is the schema of the answer. @throws BridgeError `ops-failed` */
export async function readAnswer<Name extends OpsSchemaName>(
  client: OpsClient,
  _name: Name,
  path: `/${string}`,
): Promise<OpsJson<Name>> {
  return parseAnswer(await client.send('GET', path));
}

/** Finds a user or group by a name or an id. @throws BridgeError `ops-failed` where none has it, or several */
export function findResource(client: OpsClient, name: string): Promise<OpsJson<'Explanation'>> {
  return readAnswer(client, 'Explanation', `/explain/${encodeURIComponent(name)}`);
}

/**
 * Exit codes, fit for scripts. 2 is for answers that are no failure and yet incomplete.
 * 64, 75 and 78 as in BSD's sysexits(3).
 */
export const exitCodes = {
  done: 0,
  failed: 1,
  incomplete: 2,
  usage: 64,
  later: 75,
  settings: 78,
} as const;

/** The exit codes as `--help` prints them; a command tells those that it has beside them. */
export const exitCodesHelp = `
Exit codes:
  0   done
  1   failed: the message says why
  64  unknown command or option
  78  the settings do not allow a start`;
