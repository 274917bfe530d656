import { request } from 'undici';
import { openSandbox } from '../app/target.ts';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { type AddCommand, type CliContext, readAnswer, toJson } from './context.ts';
import { parseCount } from './listing.ts';

/** `sandbox`: runs the imitation of the service alone, and controls one that runs. */
export const addSandboxCommand: AddCommand = (program, context) => {
  const { loadSettings, untilStopped, write } = context;
  const sandbox = program
    .command('sandbox')
    .description('serve the embedded imitation of the service alone, or control one that runs')
    .addHelpText('after', HELP)
    .action(async () => {
      const running = await openSandbox(loadSettings().settings.sandbox);
      const stopped = untilStopped();
      write(`Base URL  ${running.url}\nToken     ${running.token}\n`);
      await stopped;
      await running.stop();
    });
  for (const { usage, description, request, options = [], toBodies } of CONTROLS) {
    const command = sandbox
      .command(usage)
      .description(description)
      .option('--url <url>', 'of a sandbox that runs alone')
      .option('--token <token>', 'of a sandbox that runs alone');
    for (const [flags, meaning] of options) {
      if (flags.includes('<')) command.option(flags, meaning, parseCount);
      else command.option(flags, meaning);
    }
    command.action(async () => {
      const bodies = toBodies?.({ words: command.args, options: command.opts() }) ?? [undefined];
      if (typeof bodies === 'string') return command.error(`error: ${bodies}`);
      for (const body of bodies) await tell(context, command.opts(), { request, body });
    });
  }
};

const HELP = `
Without a command it serves. The others control the sandbox of the running bridge, or the one that --url and --token name:

  scim-bridge sandbox do addUser email=ada@example.com
  scim-bridge sandbox do createGroup name=Pilots
  scim-bridge sandbox do addMember group=Pilots user=ada@example.com
  scim-bridge sandbox do setActive user=ada@example.com active=false
  scim-bridge sandbox do seed users=100 groups=10
  scim-bridge sandbox fail scim.addUser --status 503 --times 3
  scim-bridge sandbox heal

An operation is such as scim.addUser; * is all. Everything: docs/command-line.md#sandbox.`;

interface Typed {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, number | true | undefined>>;
}

interface Control {
  readonly usage: string;
  readonly description: string;
  /** Method, and path below `/_sandbox/`. */
  readonly request: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`;
  readonly options?: readonly (readonly [flags: string, meaning: string])[];
  /** The bodies that are sent one after the other, or what is wrong with what was typed. */
  readonly toBodies?: (typed: Typed) => readonly JsonObject[] | string;
}

const CONTROLS: readonly Control[] = [
  {
    usage: 'do <action> [fields...]',
    description: 'change something behind the back of the bridge, as a person in the service does',
    request: 'POST state',
    toBodies({ words: [action = '', ...fields] }) {
      const wrong = fields.find((field) => !FIELD.test(field));
      if (wrong !== undefined) return `${wrong} is not name=value`;
      const values = fields.map((field) => {
        const [, name = '', value = ''] = FIELD.exec(field) ?? [];
        return [name, toValue(value)];
      });
      return [{ action, ...Object.fromEntries(values) }];
    },
  },
  {
    usage: 'fail <operation>',
    description: 'have an operation go wrong',
    request: 'POST faults',
    options: [
      ['--status <status>', 'answer with this status'],
      ['--delay <ms>', 'answer that much later'],
      ['--hang', 'never answer'],
      ['--times <number>', 'so often, then no more'],
    ],
    toBodies({ words: [operation = ''], options: { status, delay, hang, times } }) {
      const faults: JsonObject[] = [];
      if (delay !== undefined) faults.push({ kind: 'delay', delayMs: Number(delay) });
      if (status !== undefined) faults.push({ kind: 'status', status: Number(status) });
      else if (hang !== undefined) faults.push({ kind: 'hang' });
      if (faults.length === 0) return 'say --status, --delay or --hang';
      const often = times === undefined ? {} : { times: Number(times) };
      return faults.map((fault) => ({ operation, fault, ...often }));
    },
  },
  {
    usage: 'limit <number>',
    description: 'take so many calls a second, or off',
    request: 'PATCH faults',
    toBodies: ({ words: [number = ''] }) => toLimit('requestsPerSecond', number),
  },
  {
    usage: 'seats <number>',
    description: 'have so many licences, or off: any number',
    request: 'PATCH shape',
    toBodies: ({ words: [number = ''] }) => toLimit('seats', number),
  },
  { usage: 'state', description: 'show its users, groups, members, admins', request: 'GET state' },
  { usage: 'calls', description: 'count its calls by operation and status', request: 'GET calls' },
  { usage: 'forget-calls', description: 'count calls from 0 again', request: 'DELETE calls' },
  { usage: 'faults', description: 'show what goes wrong', request: 'GET faults' },
  { usage: 'heal', description: 'have nothing go wrong any more', request: 'DELETE faults' },
  { usage: 'reset', description: 'leave only the owner', request: 'POST reset' },
];

const FIELD = /^(\w+)=(.*)$/s;

/** True, false and numbers are what they say. */
function toValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A limit, `off` for none; or what is wrong with it. */
function toLimit(name: string, text: string): readonly JsonObject[] | string {
  if (text === 'off') return [{ [name]: null }];
  if (/^[1-9]\d{0,6}$/.test(text)) return [{ [name]: Number(text) }];
  return `${text} is neither a whole number nor off`;
}

async function tell(
  { connect, write }: CliContext,
  options: { readonly url?: string; readonly token?: string },
  { request: asked, body }: Pick<Control, 'request'> & { readonly body?: object | undefined },
): Promise<void> {
  const { url, token } =
    options.url !== undefined && options.token !== undefined
      ? options
      : await readAnswer(connect(), 'Sandbox', '/sandbox');
  const [method = '', path] = asked.split(' ');
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
  write(toJson(answer));
}
