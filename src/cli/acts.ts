import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { toCount } from '../domain/text.ts';
import type { Given } from '../ops/lists/act.ts';
import { toWaiting } from '../ops/lists/acts.ts';
import { SETTINGS } from '../ops/lists/plans.ts';
import { NOTIFICATIONS } from '../ops/lists/records.ts';
import { type OpsJson, opsSchemas } from '../ops/schemas/schemas.ts';
import type { ShownSetting } from '../settings/shown.ts';
import { addBodyOptions, confirm, YES } from './act-command.ts';
import {
  type AddCommand,
  addCommand,
  type CliContext,
  exitCodes,
  parseAnswer,
  readAnswer,
  toJson,
} from './context.ts';
import { readList } from './listing.ts';
import { toTable, toText } from './table.ts';

/** Makes a token through the bridge, or in a store that no bridge on this machine has. */
export async function makeToken(context: CliContext, given: Given): Promise<unknown> {
  if (await isRunning(context)) return context.connect().send('POST', '/tokens', given);
  // Loaded on demand: it opens a store.
  const { makeTokenInStore } = await import('../app/make-token.ts');
  return makeTokenInStore(context.loadSettings().settings, given);
}

/** True where OPS_URL names a bridge, or one that this environment may ask runs on this machine. */
async function isRunning({ loadSettings, connect }: CliContext): Promise<boolean> {
  const { url, token, commandToken } = loadSettings().settings.ops;
  if (url !== undefined) return true;
  return (token ?? commandToken) !== undefined && connect().isAnswering();
}

/** Ends a sign-in by its id, or all of one operator by the name. @throws BridgeError `not-found` */
export async function endSessions({ connect }: CliContext, { id: key }: Given): Promise<unknown> {
  const client = connect();
  // As many as are kept.
  const page = await readAnswer(client, 'SessionList', '/sessions?limit=1000');
  const items = page.items.filter(({ id, name }) => id === key || name === key);
  if (items.length === 0) {
    throw new BridgeError('not-found', `No sign-in has the id or the name ${key}.`);
  }
  for (const { id } of items) await client.send('POST', `/sessions/${id}/revoke`);
  return { id: items.map(({ id, name }) => `${name} (${id})`).join(', '), items };
}

/** Finds the question before an account is taken over that the bridge never takes over by itself. */
export async function findAdoptQuestion(_context: CliContext, { resource, privileged }: Given) {
  if (privileged !== true) return undefined;
  return `Let providers change ${resource}, even if it is an owner, protected or has rights?`;
}

/** Says that it is neither one nor all that is to be tried. */
export function findRetryFault({ name, all }: Given): string | undefined {
  const isClear = (name === undefined) === (all === true);
  return isClear ? undefined : 'name one person or group, or say --all';
}

/** Asks before what waits is brought to the service; undefined: nothing does, or there is no pause. */
export async function findResumeQuestion({ connect }: CliContext): Promise<string | undefined> {
  const { writes } = await readAnswer(connect(), 'Status', '/status');
  const { mode, paused, waiting } = writes;
  if (mode !== 'live' || paused === null || waiting === 0) return undefined;
  return `${toWaiting(waiting)} for the service. Let all of it go?`;
}

/** `erase`: erases all personal data of a person whom no provider has any more. */
export const addErase: AddCommand = (program, context) => {
  const about = 'erase everything personal about a person whom the provider has deleted';
  const command = addCommand(program, 'erase', about);
  command
    .argument('<user>', 'a userName, an address or a SCIM id')
    .option(...YES)
    .option('--json', 'as one JSON object')
    .addHelpText('after', ERASE_HELP)
    .action(async (user: string, { yes, json }: { yes?: true; json?: true }) => {
      const client = context.connect();
      const path = `/users/${encodeURIComponent(user)}/erasure` as const;
      const planned = await readAnswer(client, 'Erasure', path);
      const print = (answer: OpsJson<'Erasure'>) =>
        context.write(json ? toJson(answer) : toText(toErasureText(answer)));
      if (planned.obstacles.length > 0) {
        print(planned);
        if (!wasErased(planned)) context.exitWith(exitCodes.failed);
        return;
      }
      const question = 'Erase it? It cannot be taken back.';
      if (!yes) print(planned);
      const isAsked = yes || (!json && context.ask !== undefined);
      if (!isAsked || !(await confirm(command, context, { yes, question })))
        return context.exitWith(exitCodes.incomplete);
      print(parseAnswer(await client.send('POST', `/users/${planned.id}/erase`)));
    });
};

const ERASE_HELP = `
Without --yes it shows what would be erased, and asks. What is erased: names, addresses, attributes and places in groups;
what the logs of requests, calls, drifts, plans and events of the service say of the person. Where the account is still in
the service, deactivated, its id and when it was deleted stay, so that no list of the service brings the person back. What
cannot be erased from here: the account in the service, log lines (they hold ids alone), and backups made before. Exit
code 2: nothing was erased, because --yes was not given.`;

function wasErased({ obstacles }: OpsJson<'Erasure'>): boolean {
  return obstacles.some(({ code }) => code === 'erased');
}

function toErasureText(answer: OpsJson<'Erasure'>): string {
  const { userName, id, account, staysHidden, obstacles, rows } = answer;
  if (wasErased(answer)) return `Nothing is left to erase of ${id}: it was done before.`;
  const person = `${userName} (${id}${account === null ? '' : `, account ${account}`})`;
  if (obstacles.length > 0) {
    const reasons = obstacles.map(({ code, detail }) => `\n  ${code}: ${detail}`);
    return `Nothing can be erased of ${person} yet:${reasons.join('')}`;
  }
  const others =
    rows === null
      ? 'whatever else speaks of them'
      : `${toCount(rows, 'row')} of others and of logs that spoke of them`;
  const hidden = '\n  The id of the account stays, so that no list brings the person back.';
  return `${rows === null ? 'To be erased' : 'Erased'}: ${person}
  names, attributes and what was seen in the service
  ${others}${staysHidden ? hidden : ''}`;
}

/** How long a try waits for its delivery, and how often it looks, in milliseconds. */
const TEST_MS = 30_000;
const LOOK_MS = 250;

/** `notifications test`: tries receivers. */
export const addNotificationsTest: AddCommand = (program, context) => {
  const about = 'send a notification to one receiver, or to each, and wait until it has it';
  addCommand(program, 'notifications test', about)
    .argument('[receiver]', 'name of the receiver in notify.receivers')
    .action(async (receiver: string | undefined) => {
      const client = context.connect();
      const sent = await client.send('POST', '/notifications/test', { receiver });
      const { ids } = parseAnswer<OpsJson<'NotificationTest'>>(sent);
      const left = await waitFor(client, new Set(ids));
      const isDone = left.length === 0;
      const table = toTable(left, NOTIFICATIONS.columns, context);
      context.write(isDone ? `Delivered: ${ids.length}\n` : table);
      if (!isDone) context.exitWith(exitCodes.failed);
    });
};

/** Waits until these are delivered, or failed; returns those that were not. */
async function waitFor(
  client: OpsClient,
  ids: ReadonlySet<string>,
): Promise<OpsJson<'Notification'>[]> {
  const until = performance.now() + TEST_MS;
  for (;;) {
    const { items } = await readAnswer(client, 'NotificationList', '/notifications?limit=1000');
    const left = items.filter(({ id }) => ids.has(id));
    const isOver = left.every(({ error }) => error !== null) || performance.now() > until;
    if (isOver) return left;
    await sleep(LOOK_MS);
  }
}

/** `settings`: prints the settings of the running bridge, or those of this command, without secrets. */
export const addSettingsCommand: AddCommand = (program, context) => {
  addCommand(program, 'settings', 'print the settings of the running bridge, without secrets')
    .option('--json', 'as GET /ops/settings answers it')
    .option('--here', 'those of this environment and file, which a bridge would start with here')
    .action(async ({ json, here }: { json?: true; here?: true }) => {
      const client = here ? undefined : context.connect();
      const { shown, warnings } = context.loadSettings();
      const source = client
        ? `the bridge that answers at ${client.url}`
        : 'this environment and file; a running bridge may have others';
      const items = client
        ? (await readList<ShownSetting>(client, { path: '/settings' })).items
        : shown;
      const table = `Settings of ${source}:\n\n${toTable(items, SETTINGS.columns, context)}`;
      context.write(json ? toJson({ items, nextCursor: null }) : table);
      if (here) for (const warning of warnings) context.writeError(`Warning: ${warning}\n`);
    });
};

type Decision = OpsJson<'DriftsBody'>['decision'];

/** Decisions: what each of them means, the word for what was done, and the question before. */
const DECISIONS = {
  repair: ['have the service hold again what is wanted, by one plan', 'repaired', 'Repair them?'],
  accept: ['take what the service holds as what is wanted', 'accepted', 'Accept them?'],
  adopt: [
    'take them over as the service holds them; none that is privileged',
    'taken over',
    'Take them over? Providers may change and deactivate them from then on.',
  ],
  ignore: ['leave them alone until a date', 'ignored', 'Ignore them?'],
} as const;

const DECIDE_HELP = `
A dry run is made and shown first. A plan of repairs above the limits is done only by a person who says yes to it, or with
its hash.`;

/** Adds commands that decide about some of what is listed at once. */
export function addDriftDecisions(...decisions: readonly Decision[]) {
  return (list: Command, context: CliContext): void => {
    // What stands behind the word of a decision is for it.
    list.enablePositionalOptions();
    for (const decision of decisions) {
      const [about, , question] = DECISIONS[decision];
      const command = list
        .command(`${decision} <ids...>`)
        .description(about)
        .option(...YES)
        .option('--json', 'as one JSON object')
        .addHelpText('after', DECIDE_HELP);
      const body = opsSchemas.DriftsBody.options.find(
        ({ shape }) => shape.decision.value === decision,
      );
      const { readFile } = context;
      const readOptions = addBodyOptions(command, { body, readFile, fixed: 'decision' });
      command.action(async (ids: readonly string[]) => {
        const given = { decision, ids, ...readOptions() };
        await decide(command, context, { decision, question, given });
      });
    }
  };
}

interface Asked {
  readonly decision: Decision;
  readonly question: string;
  readonly given: Readonly<Record<string, unknown>>;
}

async function decide(
  command: Command,
  context: CliContext,
  { decision, question, given }: Asked,
): Promise<void> {
  const { yes, json } = command.opts<{ yes?: true; json?: true }>();
  const client = context.connect();
  const send = async (more: object) => {
    const sent = await client.send('POST', '/drifts/decide', { ...given, ...more });
    return parseAnswer<OpsJson<'DriftsDecided'>>(sent);
  };
  const print = (decided: OpsJson<'DriftsDecided'>) =>
    context.write(json ? toJson(decided) : toDecidedText(decided, decision));
  const preview = await send({ dryRun: true });
  if (given.dryRun) return print(preview);
  context[json ? 'writeError' : 'write'](toDecidedText(preview, decision));
  const isSure = yes || given.hash !== undefined;
  if (!isSure && !(await confirm(command, context, { yes, question }))) return;
  // A person has seen the plan; a script has not.
  const seen = isSure ? undefined : preview.plan?.hash;
  const decided = await send(seen === undefined ? {} : { hash: seen });
  print(decided);
  if (decided.refused.length > 0) context.exitWith(exitCodes.failed);
}

function toDecidedText(
  { dryRun, done, refused, plan }: OpsJson<'DriftsDecided'>,
  decision: Decision,
): string {
  const head = `${done} ${dryRun ? 'can be ' : ''}${DECISIONS[decision][1]}, ${refused.length} not.`;
  const lines = [head, ...refused.map(({ id, reason }) => `  ${id}  ${reason}`)];
  if (plan !== null) {
    const { id, hash, counts, exceeded } = plan;
    const name = id === null ? `The plan ${hash}` : `Plan ${id}`;
    lines.push(
      `${name}: ${toCount(counts.total, 'action')}`,
      ...Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}`),
      ...exceeded.map((limit) => `  above the limit: ${limit}`),
    );
  }
  return toText(lines.join('\n'));
}
