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
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, parseAnswer, readAnswer, toJson } from './json.ts';
import { type Page, readList } from './listing.ts';
import { createProgress } from './progress.ts';
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
  return { items };
}

/** Says who is signed out. */
export function toEndedText(answer: unknown): string {
  const { items } = parseAnswer<Pick<OpsJson<'SessionList'>, 'items'>>(answer);
  return items.map(({ id, name }) => `${name} (${id}) is signed out.`).join('\n');
}

/** Finds the question before an account is taken over that the bridge never takes over by itself. */
export async function findAdoptQuestion(_context: CliContext, { resource, privileged }: Given) {
  if (privileged !== true) return undefined;
  return `Let providers change ${resource}, even if it is an owner, protected or has rights?`;
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
    .option('--yes', 'erase; without it nothing is changed, and what would be erased is shown')
    .option('--json', 'as one JSON object')
    .addHelpText('after', ERASE_HELP)
    .action(async (user: string, { yes, json }: { yes?: true; json?: true }) => {
      const { connect, write, exitWith, ask } = context;
      const client = connect();
      const path = `/users/${encodeURIComponent(user)}/erasure` as const;
      const planned = await readAnswer(client, 'Erasure', path);
      const isPossible = planned.obstacles.length === 0;
      let isAsked = isPossible && yes === true;
      if (isPossible && !isAsked && ask !== undefined && !json) {
        write(toText(toErasureText(planned)));
        const question = 'Erase it? It cannot be taken back.';
        isAsked = await confirm(command, context, { yes: undefined, question });
      }
      const erased = isAsked && (await client.send('POST', `/users/${planned.id}/erase`));
      const answer = erased ? parseAnswer<OpsJson<'Erasure'>>(erased) : planned;
      write(json ? toJson(answer) : toText(toErasureText(answer)));
      if (wasErased(planned)) return;
      if (!isPossible) exitWith(exitCodes.failed);
      else if (!isAsked) exitWith(exitCodes.incomplete);
    });
};

const ERASE_HELP = `
What is erased: names, addresses, attributes and places in groups; what the logs of requests, calls, drifts, plans and
events of the service say of the person. Where the account is still in the service, deactivated, its id and when it was
deleted stay, so that no list of the service brings the person back. What cannot be erased from here: the account in the
service, log lines (they hold ids alone), and backups made before.

Exit codes:
  0   erased, now or before
  1   nothing was erased: something has to be done first, or nobody or more than one has this name
  2   nothing was erased: --yes was not given
  64  wrong usage`;

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
  return [
    `${rows === null ? 'To be erased' : 'Erased'}: ${person}`,
    `  names, attributes and what was seen in the service\n  ${others}`,
    ...(staysHidden
      ? ['  The id of the account stays, so that no list brings the person back.']
      : []),
    ...(rows === null ? [`Nothing was erased yet: scim-bridge erase ${id} --yes`] : []),
  ].join('\n');
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
      const progress = createProgress(context, { words: 'Waiting for the receivers' });
      const left = await waitFor(client, new Set(ids)).finally(progress.end);
      const isDone = left.length === 0;
      const table = toTable(left, NOTIFICATIONS.columns, context);
      context.write(isDone ? `Delivered: ${ids.length}\n` : table);
      context.exitWith(isDone ? 0 : 1);
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
  const { loadSettings, write, writeError } = context;
  addCommand(program, 'settings', 'print the settings of the running bridge, without secrets')
    .option('--json', 'as GET /ops/settings answers it')
    .option('--changed', 'only those that are not the default')
    .option('--here', 'those of this environment and file, which a bridge would start with here')
    .action(async ({ json, changed, here }: { json?: true; changed?: true; here?: true }) => {
      const { shown, warnings } = loadSettings();
      let [source, all] = ['this environment and file; a running bridge may have others', shown];
      if (!here) {
        const client = context.connect();
        const page: Page<ShownSetting> = await readList(client, { path: '/settings', context });
        [source, all] = [`the bridge that answers at ${client.url}`, page.items];
      }
      const items = changed ? all.filter(({ from }) => from !== 'default') : all;
      const table = `Settings of ${source}:\n\n${toTable(items, SETTINGS.columns, context)}`;
      write(json ? toJson({ items, nextCursor: null }) : table);
      if (here) for (const warning of warnings) writeError(`Warning: ${warning}\n`);
    });
};

type Decision = OpsJson<'DriftsBody'>['decision'];

/** Decisions: what each of them means, and the word for what was done. */
const DECISIONS = {
  repair: ['have the service hold again what is wanted, by one plan', 'repaired'],
  accept: ['take what the service holds as what is wanted', 'accepted'],
  adopt: ['take them over as the service holds them; none that is privileged', 'taken over'],
  ignore: ['leave them alone until a date', 'ignored'],
} as const;

/** Adds commands that decide about some of what is listed at once. */
export function addDriftDecisions(...decisions: readonly Decision[]) {
  return (list: Command, context: CliContext): void => {
    // What stands behind the word of a decision is for it.
    list.enablePositionalOptions();
    for (const decision of decisions) {
      const command = list
        .command(`${decision} <ids...>`)
        .description(DECISIONS[decision][0])
        .option(...YES)
        .option('--json', 'as one JSON object');
      const body = opsSchemas.DriftsBody.options.find(
        ({ shape }) => shape.decision.value === decision,
      );
      const { readFile } = context;
      const readOptions = addBodyOptions(command, { body, readFile, fixed: 'decision' });
      if (decision === 'repair') command.addHelpText('after', DECIDE_HELP);
      command.action((ids: readonly string[], { yes, json }: DecideOptions) =>
        decide(command, context, { yes, json, body: { decision, ids, ...readOptions() } }),
      );
    }
  };
}

const DECIDE_HELP = `
A dry run is made and shown first. A plan of repairs above the limits is done only by a person who says yes to it, or with
its hash.`;

interface DecideOptions {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

interface Asked extends DecideOptions {
  readonly body: {
    readonly decision: Decision;
    readonly ids: readonly string[];
    readonly dryRun?: true;
    readonly hash?: string;
  };
}

async function decide(
  command: Command,
  context: CliContext,
  { yes, json, body }: Asked,
): Promise<void> {
  const { dryRun, hash, decision } = body;
  const client = context.connect();
  const send = async (more: object) =>
    parseAnswer<OpsJson<'DriftsDecided'>>(
      await client.send('POST', '/drifts/decide', { ...body, ...more }),
    );
  const preview = await send({ dryRun: true });
  if (!json || !dryRun) context[json ? 'writeError' : 'write'](toDecidedText(preview, decision));
  if (dryRun) {
    if (json) context.write(toJson(preview));
    return;
  }
  const asked = { yes, question: toQuestion(decision) };
  if (hash === undefined && !(await confirm(command, context, asked))) return;
  // A person has seen the plan; a script has not.
  const seen = yes ? undefined : preview.plan?.hash;
  const decided = await send(hash === undefined && seen !== undefined ? { hash: seen } : {});
  context.write(json ? toJson(decided) : toDecidedText(decided, decision));
  if (decided.refused.length > 0) context.exitWith(exitCodes.failed);
}

function toQuestion(decision: Decision): string {
  if (decision === 'adopt')
    return 'Take them over? Providers may change and deactivate them from then on.';
  return `${decision.charAt(0).toUpperCase()}${decision.slice(1)} them?`;
}

function toDecidedText(
  { dryRun, done, refused, plan }: OpsJson<'DriftsDecided'>,
  decision: Decision,
): string {
  const head = `${done} ${dryRun ? 'can be ' : ''}${DECISIONS[decision][1]}, ${refused.length} not.`;
  const lines = refused.map(({ id, reason }) => `  ${id}  ${reason}`);
  if (plan === null) return toText([head, ...lines].join('\n'));
  const { id, hash, counts, exceeded } = plan;
  return toText(
    [
      ...[head, ...lines],
      `${id === null ? `The plan ${hash}` : `Plan ${id}`}: ${toCount(counts.total, 'action')}`,
      ...Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}`),
      ...exceeded.map((limit) => `  above the limit: ${limit}`),
    ].join('\n'),
  );
}
