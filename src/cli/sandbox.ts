import type { JsonObject, JsonValue } from '../domain/values.ts';
import { BridgeError } from '../domain/values.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { commandOf, toJson, WrongUsage } from './command.ts';
import { countOption } from './options.ts';
import { askOps } from './requests.ts';

const serveSandbox = commandOf({
  usage: 'sandbox',
  about: 'serve the embedded imitation of the service alone, or control one that runs',
  help: 'An operation is such as scim.addUser; * is all. Examples: docs/command-line.md#sandbox.',
  async run({ loadSettings, untilStopped, write }) {
    const { openSandbox } = await import('../app/target.ts');
    const running = await openSandbox(loadSettings().settings.sandbox);
    const stopped = untilStopped();
    write(`Base URL  ${running.url}\nToken     ${running.token}\n`);
    await stopped;
    await running.stop();
    return undefined;
  },
});

/** What is typed behind any of these commands. */
interface Typed extends Readonly<Partial<Record<'status' | 'delay' | 'times', number>>> {
  readonly action: string;
  readonly fields: readonly string[];
  readonly operation: string;
  readonly hang?: true;
  readonly number: string;
  readonly url?: string;
  readonly token?: string;
}

/** A request to the controls, sent with each body: usage, meaning, method and path. */
type Control = readonly [string, string, string, ((typed: Typed) => readonly JsonObject[])?];

const CONTROLS: readonly Control[] = [
  [
    'do <action> [fields...]',
    'change something in the service; as=<address> says who, else the account of the bridge',
    'POST state',
    ({ action, fields }) => [{ action, ...toFields(fields) }],
  ],
  ['fail <operation>', 'make calls of an operation fail', 'POST faults', toFaults],
  [
    'limit <number>',
    'limit calls a second; off: no limit',
    'PATCH faults',
    ({ number }) => [toFields([`requestsPerSecond=${number}`])],
  ],
  [
    'seats <number>',
    'limit licences; off: no limit',
    'PATCH shape',
    ({ number }) => [toFields([`seats=${number}`])],
  ],
  ['state', 'show users, groups, members, admins', 'GET state'],
  ['calls', 'count its calls by operation and status', 'GET calls'],
  ['forget-calls', 'count calls from 0 again', 'DELETE calls'],
  ['faults', 'show the faults that are set', 'GET faults'],
  ['heal', 'end all faults', 'DELETE faults'],
  ['reset', 'remove everything except the owner', 'POST reset'],
];

const FAULT_OPTIONS = [
  countOption('--status <status>', 'answer with this status'),
  countOption('--delay <ms>', 'answer so many milliseconds later'),
  ['--hang', 'never answer'],
  countOption('--times <number>', 'fail so often, then work again'),
] as const;

/** `sandbox`, and what controls one that runs. */
export const sandboxCommands = [
  serveSandbox,
  ...CONTROLS.map(([usage, about, asked, toBodies]) =>
    commandOf<Typed>({
      usage: `sandbox ${usage}`,
      about,
      options: [
        ['--url <url>', 'of a sandbox that runs alone'],
        ['--token <token>', 'of a sandbox that runs alone'],
        ...(toBodies === toFaults ? FAULT_OPTIONS : []),
      ],
      async run({ typed, connect, write }) {
        const { url, token } = typed;
        const found =
          url && token ? { url, token } : await askOps(connect(), 'Sandbox', '/sandbox');
        for (const body of toBodies?.(typed) ?? [undefined])
          write(toJson(await send(found, asked, body)));
        return undefined;
      },
    }),
  ),
];

function toFaults({ operation, status, delay, hang, times }: Typed): JsonObject[] {
  const faults: JsonObject[] = [];
  if (delay !== undefined) faults.push({ kind: 'delay', delayMs: delay });
  if (status !== undefined) faults.push({ kind: 'status', status });
  else if (hang) faults.push({ kind: 'hang' });
  if (faults.length === 0) throw new WrongUsage('say --status, --delay or --hang');
  const often = times === undefined ? {} : { times };
  return faults.map((fault) => ({ operation, fault, ...often }));
}

/** Fields that are typed as `name=value`; `off` is null. */
function toFields(typed: readonly string[]): JsonObject {
  const fields = typed.map((field): readonly [string, JsonValue] => {
    const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(field) ?? [];
    if (name === undefined) throw new WrongUsage(`${field} is not name=value`);
    return [name, /^(true|false|0|[1-9]\d{0,14})$/.test(value) ? JSON.parse(value) : value];
  });
  return Object.fromEntries(fields.map(([name, value]) => [name, value === 'off' ? null : value]));
}

/** Asks a sandbox. @throws BridgeError `sandbox-failed` */
async function send({ url, token }: OpsJson<'Sandbox'>, asked: string, body?: JsonObject) {
  const [method = '', path] = asked.split(' ');
  if (token === null) throw new BridgeError('sandbox-failed', 'it takes the role operator');
  const answer = await fetch(`${url}/_sandbox/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new BridgeError('sandbox-failed', `${url} does not answer`, { cause });
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? {} : JSON.parse(text);
  throw new BridgeError('sandbox-failed', `the sandbox answered ${answer.status}: ${text}`);
}
