import { join } from 'node:path';
import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { OpsJson, OpsSchemaName } from '../ops/schemas/schemas.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Environment } from '../settings/sources.ts';

/** Settings file where none is named: the same from any working directory, in a clone (`src/cli`) and in a package (`dist/cli`). */
export const defaultConfigFile = join(import.meta.dirname, '../../config/default.yaml');

/** The process as a command sees it; tests bring their own. */
export interface CliWorld {
  readonly env: Environment;
  /** Returns a file's text; throws when it cannot. */
  readonly readFile: (path: string) => string;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error. */
  readonly writeError: (text: string) => void;
  /** Resolves with the signal's name when the process is asked to stop. */
  readonly untilStopped: () => Promise<string>;
  /** Calls `hear` each time that the process is asked to read its secrets again (SIGHUP). */
  readonly onHangUp?: ((hear: () => void) => void) | undefined;
  /** Terminal that standard output goes to; undefined: a file, a pipe or a log. */
  readonly terminal?: Terminal | undefined;
  /** Asks the person at the terminal; undefined: nobody is there. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Shows a line in the place of the one before, until something is printed; undefined: standard error is no terminal. */
  readonly showProgress?: ((line: string | undefined) => void) | undefined;
}

/** Terminal of a process. */
export interface Terminal {
  /** Characters of a line. */
  readonly columns: () => number;
  /** False also where the person wants none. @see https://no-color.org */
  readonly hasColours: boolean;
}

/** Context of a command. */
export interface CliContext extends CliWorld {
  /** Loads the settings that `--config`, `CONFIG` and the environment give. @throws SettingsError */
  readonly loadSettings: () => LoadedSettings;
  /** Client of the running bridge, with `ops.commandToken` or else `ops.token`. @throws BridgeError `ops-failed` */
  readonly connect: (timeoutMs?: number) => OpsClient;
  /** Sets the exit code; the last call counts. */
  readonly exitWith: (code: number) => void;
}

/** Adds one command to the program; each command has a file of its own. */
export type AddCommand = (program: Command, context: CliContext) => void;

const PARENTS: Readonly<Record<string, string>> = {
  client: 'OAuth clients and their secrets',
  provider: 'identity providers and what each may do',
  token: 'named tokens of providers and operators',
  session: 'sign-ins to the console',
  notifications: 'what receivers did not get yet',
  plan: 'what the bridge would do in the service',
};

/** Adds a command that asks the running bridge, below the one that its usage begins with. */
export function addCommand(program: Command, usage: string, about: string): Command {
  const [first = '', ...rest] = usage.split(' ');
  const words = PARENTS[first];
  if (words === undefined) return program.command(usage).description(toHelp(about));
  const known = program.commands.find((command) => command.name() === first);
  const parent = known ?? program.command(first).description(words);
  return parent.command(rest.join(' ')).description(toHelp(about));
}

/** A sentence as the help of a command or an option. */
export function toHelp(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\.$/, '');
  return `${plain.charAt(0).toLowerCase()}${plain.slice(1)}`;
}

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

/** The exit codes as every `--help` prints them; a command says what 2 means to it. */
export const exitCodesHelp = `
Exit codes:
  0   done
  1   failed: the message says why
  2   done, and the outcome is incomplete or has something to look at
  64  wrong usage; nothing was done
  75  not now: the same may succeed later
  78  the settings do not allow it`;
