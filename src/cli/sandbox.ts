import { Option } from 'commander';
import { request } from 'undici';
import { openSandbox } from '../app/target.ts';
import { BridgeError, isJsonObject, type JsonObject, type JsonValue } from '../domain/values.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { commandOf, toJson, WrongUsage } from './command.ts';
import { countOption } from './options.ts';
import { askOps } from './requests.ts';

const serveSandbox = commandOf({
  usage: 'sandbox',
  about: 'serve the embedded imitation of the service alone, or control one that runs',
  help: `
Without a command it serves. The others control the sandbox of the running bridge, or the one that --url and --token name:

  scim-bridge sandbox do addUser email=ada@example.com
  scim-bridge sandbox do createGroup name=Pilots
  scim-bridge sandbox do addMember group=Pilots user=ada@example.com
  scim-bridge sandbox do setActive user=ada@example.com active=false
  scim-bridge sandbox do seed users=100 groups=10
  scim-bridge sandbox fail scim.addUser --status 503 --times 3
  scim-bridge sandbox heal

An operation is such as scim.addUser; * is all. Everything: docs/command-line.md#sandbox.`,
  async run({ loadSettings, untilStopped, write }) {
    const running = await openSandbox(loadSettings().settings.sandbox);
    const stopped = untilStopped();
    write(`Base URL  ${running.url}\nToken     ${running.token}\n`);
    await stopped;
    await running.stop();
    return undefined;
  },
});

interface Control<Typed> {
  readonly options?: readonly Option[];
  readonly toBodies?: (typed: Typed) => readonly JsonObject[];
}

/** Makes a command that sends a request to the controls, or one with each body. */
function control<Typed>(
  usage: string,
  about: string,
  asked: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`,
  { options = [], toBodies }: Control<Typed> = {},
) {
  return commandOf<Typed & { readonly url?: string; readonly token?: string }>({
    usage: `sandbox ${usage}`,
    about,
    options: [
      ['--url <url>', 'of a sandbox that runs alone'],
      ['--token <token>', 'of a sandbox that runs alone'],
      ...options,
    ],
    async run({ typed, connect, write }) {
      const bodies = toBodies?.(typed) ?? [undefined];
      const { url, token } = typed;
      const found = url && token ? { url, token } : await askOps(connect(), 'Sandbox', '/sandbox');
      for (const body of bodies) write(toJson(await send(found, asked, body)));
      return undefined;
    },
  });
}

type Limit = Readonly<Record<'number', string>>;

interface Fault extends Readonly<Partial<Record<'status' | 'delay' | 'times', number>>> {
  readonly operation: string;
  readonly hang?: true;
}

/** `sandbox`, and what controls one that runs. */
export const sandboxCommands = [
  serveSandbox,
  control<{ readonly action: string; readonly fields: readonly string[] }>(
    'do <action> [fields...]',
    'change something behind the back of the bridge, as a person in the service does',
    'POST state',
    {
      toBodies: ({ action, fields }) => [{ action, ...Object.fromEntries(fields.map(parseField)) }],
    },
  ),
  control<Fault>('fail <operation>', 'have an operation go wrong', 'POST faults', {
    options: [
      countOption('--status <status>', 'answer with this status'),
      countOption('--delay <ms>', 'answer that much later'),
      new Option('--hang', 'never answer'),
      countOption('--times <number>', 'so often, then no more'),
    ],
    toBodies({ operation, status, delay, hang, times }) {
      const faults: JsonObject[] = [];
      if (delay !== undefined) faults.push({ kind: 'delay', delayMs: delay });
      if (status !== undefined) faults.push({ kind: 'status', status });
      else if (hang) faults.push({ kind: 'hang' });
      if (faults.length === 0) throw new WrongUsage('error: say --status, --delay or --hang');
      const often = times === undefined ? {} : { times };
      return faults.map((fault) => ({ operation, fault, ...often }));
    },
  }),
  control<Limit>('limit <number>', 'take so many calls a second, or off', 'PATCH faults', {
    toBodies: ({ number }) => [{ requestsPerSecond: parseLimit(number) }],
  }),
  control<Limit>('seats <number>', 'have so many licences, or off: any number', 'PATCH shape', {
    toBodies: ({ number }) => [{ seats: parseLimit(number) }],
  }),
  control('state', 'show its users, groups, members, admins', 'GET state'),
  control('calls', 'count its calls by operation and status', 'GET calls'),
  control('forget-calls', 'count calls from 0 again', 'DELETE calls'),
  control('faults', 'show what goes wrong', 'GET faults'),
  control('heal', 'have nothing go wrong any more', 'DELETE faults'),
  control('reset', 'leave only the owner', 'POST reset'),
];

function parseField(field: string): readonly [string, JsonValue] {
  const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(field) ?? [];
  if (name === undefined) throw new WrongUsage(`error: ${field} is not name=value`);
  if (value === 'true' || value === 'false') return [name, value === 'true'];
  return [name, /^\d{1,15}$/.test(value) ? Number(value) : value];
}

function parseLimit(text: string): number | null {
  if (text === 'off') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new WrongUsage(`error: ${text} is neither a whole number nor off`);
}

/** Asks a sandbox. @throws BridgeError `sandbox-failed` */
async function send({ url, token }: OpsJson<'Sandbox'>, asked: string, body?: JsonObject) {
  const [method = '', path] = asked.split(' ');
  if (token === null) throw new BridgeError('sandbox-failed', 'it takes the role operator');
  const { statusCode, body: content } = await request(`${url}/_sandbox/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new BridgeError('sandbox-failed', `${url} does not answer`, { cause });
  });
  const text = await content.text();
  const answer: JsonValue = text === '' ? {} : JSON.parse(text);
  if (statusCode < 300) return answer;
  const words = isJsonObject(answer) ? (answer.message ?? answer.error) : undefined;
  throw new BridgeError('sandbox-failed', `the sandbox answered ${statusCode}: ${words ?? text}`);
}
