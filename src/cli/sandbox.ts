import type { Command } from 'commander';
import { request } from 'undici';
import { openSandbox } from '../app/target.ts';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import { parseCount } from './listing.ts';

/** `sandbox`: runs the imitation of the service alone, and controls one that runs. */
export const addSandboxCommand: AddCommand = (program, context) => {
  const { loadSettings, untilStopped, write } = context;
  const sandbox = program
    .command('sandbox')
    .description('serve the embedded imitation of the service alone, or control one that runs')
    .addHelpText('after', help)
    .action(async () => {
      const running = await openSandbox(loadSettings().settings.sandbox);
      const stopped = untilStopped();
      write(`Base URL  ${running.url}\nToken     ${running.token}\n`);
      await stopped;
      await running.stop();
    });
  addState(sandbox, context);
  addFaults(sandbox, context);
  addSeats(sandbox, context);
  for (const control of SIMPLE) addControl(sandbox, context, control);
};

const help = `
Without a command it serves. The others control the sandbox of the running bridge, or the one that --url and --token name:

  scim-bridge sandbox do addUser email=ada@example.com
  scim-bridge sandbox do createGroup name=Pilots
  scim-bridge sandbox do addMember group=Pilots user=ada@example.com
  scim-bridge sandbox do setActive user=ada@example.com active=false
  scim-bridge sandbox do seed users=100 groups=10
  scim-bridge sandbox fail scim.addUser --status 503 --times 3
  scim-bridge sandbox heal

Everything: docs/command-line.md#sandbox.`;

/** Options of every control. */
interface ControlOptions {
  readonly url?: string;
  readonly token?: string;
}

/** Control without arguments. */
interface Control {
  readonly name: string;
  readonly description: string;
  readonly method: Method;
  readonly path: string;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const SIMPLE: readonly Control[] = [
  {
    name: 'state',
    description: 'show its users, groups, members and admins',
    method: 'GET',
    path: 'state',
  },
  {
    name: 'calls',
    description: 'count its calls, by operation and status',
    method: 'GET',
    path: 'calls',
  },
  {
    name: 'forget-calls',
    description: 'count calls from 0 again',
    method: 'DELETE',
    path: 'calls',
  },
  { name: 'faults', description: 'show what goes wrong', method: 'GET', path: 'faults' },
  { name: 'heal', description: 'have nothing go wrong any more', method: 'DELETE', path: 'faults' },
  { name: 'reset', description: 'leave only the owner', method: 'POST', path: 'reset' },
];

function addControl(parent: Command, context: CliContext, control: Control): void {
  const { name, description, method, path } = control;
  addTarget(parent.command(name).description(description)).action((options: ControlOptions) =>
    tell(context, options, { method, path }),
  );
}

function addState(parent: Command, context: CliContext): void {
  const command = parent.command('do');
  addTarget(command)
    .description('change something behind the back of the bridge, as a person in the service does')
    .argument('<action>', 'such as addUser, setActive, addMember: docs/command-line.md#sandbox')
    .argument('[fields...]', 'name=value; as=<address>: by this account')
    .action((action: string, words: string[], options: ControlOptions) =>
      tell(context, options, {
        ...({ method: 'POST', path: 'state' } as const),
        body: { action, ...parseFields(command, words) },
      }),
    );
}

interface FailOptions extends ControlOptions {
  readonly status?: number;
  readonly delay?: number;
  readonly hang?: true;
  readonly times?: number;
}

function addFaults(parent: Command, context: CliContext): void {
  const fail = parent.command('fail');
  addTarget(fail)
    .description('have an operation go wrong')
    .argument('<operation>', 'such as scim.addUser; * for all')
    .option('--status <status>', 'answer with this status', parseCount)
    .option('--delay <ms>', 'answer that much later', parseCount)
    .option('--hang', 'never answer')
    .option('--times <number>', 'so often, then no more', parseCount)
    .action(async (operation: string, options: FailOptions) => {
      const { times } = options;
      for (const fault of listFaults(fail, options)) {
        const body = { operation, fault, ...(times && { times }) };
        await tell(context, options, { method: 'POST', path: 'faults', body });
      }
    });
  addTarget(parent.command('limit'))
    .description('take so many calls a second, or off')
    .argument('<number>', 'calls a second, or off', parseLimit)
    .action((requestsPerSecond: Limit, options: ControlOptions) =>
      tell(context, options, { method: 'PATCH', path: 'faults', body: { requestsPerSecond } }),
    );
}

/** Sets how many licences the company has; the owner takes one. */
function addSeats(parent: Command, context: CliContext): void {
  addTarget(parent.command('seats'))
    .description('have so many licences, or off: any number')
    .argument('<number>', 'accounts that may take one, or off', parseLimit)
    .action((seats: Limit, options: ControlOptions) =>
      tell(context, options, { method: 'PATCH', path: 'shape', body: { seats } }),
    );
}

/** Number at most; null: any. */
type Limit = number | null;

function parseLimit(text: string): Limit {
  return text === 'off' ? null : parseCount(text);
}

function listFaults(command: Command, { status, delay, hang }: FailOptions): JsonObject[] {
  const faults: JsonObject[] = delay === undefined ? [] : [{ kind: 'delay', delayMs: delay }];
  if (status !== undefined) faults.push({ kind: 'status', status });
  else if (hang) faults.push({ kind: 'hang' });
  return faults.length > 0 ? faults : command.error('error: say --status, --delay or --hang');
}

function addTarget(command: Command): Command {
  return command
    .option('--url <url>', 'of a sandbox that runs alone')
    .option('--token <token>', 'of a sandbox that runs alone');
}

/** Parses `name=value` words; true, false and numbers are what they say. */
function parseFields(command: Command, words: readonly string[]): JsonObject {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined)
        command.error(`error: ${word} is not name=value`);
      return [name, toValue(value)];
    }),
  );
}

function toValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

interface Order {
  readonly method: Method;
  readonly path: string;
  readonly body?: JsonObject;
}

/** Sends an order to the sandbox and prints its answer. */
async function tell(
  context: CliContext,
  options: ControlOptions,
  { method, path, body }: Order,
): Promise<void> {
  const { url, token } = await findSandbox(context, options);
  const { statusCode, body: content } = await request(`${url}/_sandbox/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new BridgeError('sandbox-failed', `${url} does not answer`, { cause });
  });
  const text = await content.text();
  const answer: JsonValue = text === '' ? {} : JSON.parse(text);
  if (statusCode >= 300) {
    const words = isJsonObject(answer) ? (answer.message ?? answer.error) : undefined;
    throw new BridgeError('sandbox-failed', `the sandbox answered ${statusCode}: ${words ?? text}`);
  }
  context.write(toJson(answer));
}

/** The sandbox that the options name, or that of the running bridge. */
async function findSandbox(
  { connect }: CliContext,
  { url, token }: ControlOptions,
): Promise<OpsJson<'Sandbox'>> {
  if (url !== undefined && token !== undefined) return { url, token };
  return parseAnswer<OpsJson<'Sandbox'>>(await connect().send('GET', '/sandbox'));
}
