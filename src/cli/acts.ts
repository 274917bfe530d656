import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { toCount } from '../domain/text.ts';
import { BridgeError } from '../domain/values.ts';
import { access } from '../ops/lists/access.ts';
import { acts, toPlanHead, toWaiting } from '../ops/lists/acts.ts';
import { toReadingText } from '../ops/lists/details.ts';
import type { Given } from '../ops/lists/list.ts';
import { records } from '../ops/lists/records.ts';
import { type OpsJson, opsSchemas } from '../ops/schemas/schemas.ts';
import { findStoreFile } from '../settings/store-url.ts';
import { type CliContext, commandOf, confirm, exitCodes } from './command.ts';
import { bodyOptions, JSON_OBJECT, YES } from './options.ts';
import { askOps, readList, type Special } from './requests.ts';
import { tableOf, toText } from './table.ts';

/** Wait for the delivery of a notification, in milliseconds. */
const TEST_MS = 30_000;

/** Commands that do more than send one request. */
export const special = {
  ERASE: commandOf<Given & { readonly user: string }>({
    usage: 'erase',
    configure: (command) => command.argument('<user>', 'a userName, an address or a SCIM id'),
    about: 'erase everything personal about a person whom the provider has deleted',
    options: [YES, JSON_OBJECT],
    help: `
Without --yes it shows what would be erased, and asks. What is erased: names, addresses, attributes and places in groups;
what the logs of requests, calls, drifts, plans and events of the service say of the person. Where the account is still in
the service, deactivated, its id and when it was deleted stay, so that no list of the service brings the person back. What
cannot be erased from here: the account in the service, log lines (they hold ids alone), and backups made before. Exit
code 2: nothing was erased, because --yes was not given.`,
    async run(call) {
      const { user, yes, json } = call.typed;
      const client = call.connect();
      const path = `/users/${encodeURIComponent(user)}/erasure` as const;
      const planned = await askOps(client, 'Erasure', path);
      const [obstacle] = planned.obstacles;
      if (obstacle !== undefined)
        return toOutput(planned, obstacle.code === 'erased' ? exitCodes.done : exitCodes.failed);
      const undone = toOutput(planned, exitCodes.incomplete);
      if (!yes) {
        if (json || call.ask === undefined) return undone;
        call.write(undone.text);
        if (!(await confirm(call, 'Erase it? It cannot be taken back.')))
          return { ...undone, text: '' };
      }
      return toOutput(await askOps(client, 'Erasure', `/users/${planned.id}/erase`, {}));
    },
  }),
  NOTIFICATIONS_TEST: commandOf<{ readonly receiver?: string }>({
    usage: 'notifications test',
    configure: (command) =>
      command.argument('[receiver]', 'name of the receiver in notify.receivers'),
    about: 'send a notification to one receiver, or to each, and wait until it has it',
    async run({ connect, typed: { receiver } }) {
      const client = connect();
      const { ids } = await askOps(client, 'NotificationTest', '/notifications/test', { receiver });
      const readLeft = async () => {
        const { items } = await askOps(client, 'NotificationList', '/notifications?limit=1000');
        return items.filter(({ id }) => ids.includes(id));
      };
      const isTried = (some: readonly { error: unknown }[]) => some.every(({ error }) => error);
      const left = await poll(readLeft, isTried, TEST_MS);
      if (left.length === 0) return { text: `Delivered: ${ids.length}\n` };
      return { table: tableOf(left, records.NOTIFICATIONS.columns), code: exitCodes.failed };
    },
  }),
  SWEEP: commandOf<{ readonly dryRun?: true; readonly exitCode?: true }>({
    usage: 'sweep',
    about: 'compare the service with the store and count what differs',
    options: [
      ['--json', 'as one JSON object, with the differences'],
      ['--dry-run', 'show what drift.policy would do, and do nothing'],
      ['--exit-code', 'exit with 2 when something managed differs'],
    ],
    help: `
Names stay out of its output, so that a scheduled job may print it: scim-bridge drifts lists the differences, and
scim-bridge unmanaged the accounts and groups that no provider asked for. What follows from a difference is drift.policy;
by default nothing. Exit code 1: not everything could be compared.`,
    async run({ typed: { dryRun = false, exitCode }, ...context }) {
      const json = await runSweep(context, dryRun);
      const failed = json.sweep.status === 'incomplete' ? exitCodes.failed : undefined;
      const code = exitCode && json.drifts.length > 0 ? exitCodes.incomplete : failed;
      return { json, text: () => toSweepText(json), code };
    },
  }),
};

/** What is special about the commands of some requests, by their usage. */
export const SPECIAL: Readonly<Record<string, Special>> = {
  [access.TOKEN_CREATE.command]: {
    /** Makes it through the bridge, or in a store that no bridge on this machine has; a new store has to be named. */
    async send(context, given) {
      const { settings, shown } = context.loadSettings();
      const { url, token, commandToken } = settings.ops;
      const mayAsk = url !== undefined || (token ?? commandToken) !== undefined;
      const client = mayAsk ? context.connect() : undefined;
      if (client && (url !== undefined || (await client.isAnswering())))
        return client.send('POST', '/tokens', given);
      const { value, from } = shown.find(({ name }) => name === 'database.url') ?? {};
      const place = findStoreFile(settings) ?? value;
      if (from === 'default' && !existsSync(String(place)))
        throw new BridgeError('no-store', `no store is at ${place}: set OPS_URL or DATABASE_URL`);
      // Loaded on demand: it opens a store.
      const { makeTokenInStore } = await import('../app/first-access.ts');
      const made = await makeTokenInStore(settings, given);
      context.writeError(`Made in ${place}. A bridge with another store does not know it.\n`);
      return made;
    },
  },
  [access.SESSION_REVOKE.command]: {
    async send({ connect }, { id: key }) {
      const client = connect();
      const page = await askOps(client, 'SessionList', '/sessions?limit=1000');
      const items = page.items.filter(({ id, name }) => id === key || name === key);
      if (items.length === 0)
        throw new BridgeError('not-found', `No sign-in has the id or the name ${key}.`);
      for (const { id } of items) await client.send('POST', `/sessions/${id}/revoke`);
      return { id: items.map(({ id, name }) => `${name} (${id})`).join(', '), items };
    },
  },
  [acts.RESUME.command]: {
    async findQuestion({ connect }) {
      const { mode, paused, waiting } = (await askOps(connect(), 'Status', '/status')).writes;
      if (mode !== 'live' || paused === null || waiting === 0) return undefined;
      return `${toWaiting(waiting)} for the service. Let all of it go?`;
    },
  },
};

function toOutput(json: OpsJson<'Erasure'>, code?: number) {
  return { json, text: toText(toErasureText(json)), code };
}

function toErasureText(answer: OpsJson<'Erasure'>): string {
  const { userName, id, account, staysHidden, obstacles, rows } = answer;
  if (obstacles[0]?.code === 'erased')
    return `Nothing is left to erase of ${id}: it was done before.`;
  const person = `${userName} (${id}${account === null ? '' : `, account ${account}`})`;
  const reasons = obstacles.map(({ code, detail }) => `\n  ${code}: ${detail}`);
  if (reasons.length > 0) return `Nothing can be erased of ${person} yet:${reasons.join('')}`;
  const hidden = '\n  The id of the account stays, so that no list brings the person back.';
  const [head, others] =
    rows === null
      ? ['To be erased', 'whatever else speaks of them']
      : ['Erased', `${toCount(rows, 'row')} of others and of logs that spoke of them`];
  return `${head}: ${person}
  names, attributes and what was seen in the service
  ${others}${staysHidden ? hidden : ''}`;
}

const POLL_MS = 250;

async function poll<T>(read: () => Promise<T>, isEnd: (found: T) => boolean, maxMs = Infinity) {
  for (const until = performance.now() + maxMs; ; await sleep(POLL_MS)) {
    const found = await read();
    if (isEnd(found) || performance.now() > until) return found;
  }
}

/** The longest wait for repairs, in milliseconds. The next bridge or sweep goes on with the rest. */
const REPAIRS_MAX_MS = 10 * 60_000;

type SweepResult = Awaited<ReturnType<typeof runSweep>>;

async function runSweep({ showProgress, ...context }: CliContext, dryRun: boolean) {
  const client = context.connect();
  const { id } = await askOps(client, 'SweepAsked', '/sweeps', { dryRun });
  const readSweep = async () => {
    const sweep = await askOps(client, 'Sweep', `/sweeps/${id}`);
    if (sweep.status !== 'running') return sweep;
    if (sweep.progress !== null) showProgress?.(toReadingText(sweep.progress));
    // Until an operator has decided about held changes, nothing is compared.
    const { phase } = await askOps(client, 'Recovery', '/recovery');
    if (phase !== 'waiting') return sweep;
    const words = 'what is held waits for a decision first: see scim-bridge plan show';
    throw new BridgeError('recovery-waits', words);
  };
  const sweep = await poll(readSweep, ({ status }) => status !== 'running');
  const { planId } = sweep;
  const readPlan = async () =>
    planId === null ? undefined : await askOps(client, 'Plan', `/plans/${planId}`);
  // So that the output has the result of approved repairs.
  const plan = await poll(readPlan, (found) => found?.status !== 'approved', REPAIRS_MAX_MS);
  const { unmanaged } = await askOps(client, 'Status', '/status');
  const query = { status: 'active' };
  const { items } = await readList<OpsJson<'Drift'>>(client, '/drifts', { query });
  // Those that are ignored are decided about.
  return { sweep, plan, drifts: items.filter(({ status }) => status !== 'ignored'), unmanaged };
}

function toSweepText({ sweep, plan, drifts, unmanaged }: SweepResult): string {
  const { status, calls, counts, reasons } = sweep;
  const { users = 0, groups = 0 } = counts;
  const compared = `${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')} compared`;
  const found = drifts.length === 0 ? 'nothing differs' : toCount(drifts.length, 'difference');
  const kinds = Object.entries(Object.groupBy(drifts, ({ kind }) => kind));
  const lines = [
    `Sweep ${status}: ${compared} in ${toCount(calls, 'call')}, ${found}`,
    ...(unmanaged === 0 ? [] : [`  ${unmanaged} unmanaged: scim-bridge unmanaged`]),
    ...reasons.map((reason) => `  not concluded: ${reason}`),
    ...kinds.map(([kind, some]) => `  ${kind.padEnd(18)} ${some.length}`),
    ...(drifts.length === 0 ? [] : ['Whom they are about: scim-bridge drifts']),
    ...(plan === undefined ? [] : [toPlanHead(plan), `Its actions: plan show ${plan.id}`]),
  ];
  return toText(lines.join('\n'));
}

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

/** Makes a command that decides about some of what a list shows: `drifts repair`. */
export function decisionCommand(list: string, decision: keyof typeof DECISIONS) {
  const [about, done, question] = DECISIONS[decision];
  const body = opsSchemas.DriftsBody.options.find(({ shape }) => shape.decision.value === decision);
  const { options, read } = bodyOptions(body, { known: ['decision', 'ids'] });
  return commandOf<Given>({
    usage: `${list} ${decision} <ids...>`,
    about,
    options: [YES, JSON_OBJECT, ...options],
    help: DECIDE_HELP,
    async run(call) {
      const { typed, write, writeError } = call;
      const client = call.connect();
      const send = async (more: object) => {
        const body = { ...read(typed), decision, ...more };
        const json = await askOps(client, 'DriftsDecided', '/drifts/decide', body);
        return { json, text: toDecidedText(json, done) };
      };
      const preview = await send({ dryRun: true });
      if (typed.dryRun) return preview;
      (typed.json ? writeError : write)(preview.text);
      const isSure = typed.yes || typed.hash !== undefined;
      if (!isSure && !(await confirm(call, question))) return undefined;
      // A person has seen the plan; a script has not.
      const hash = isSure ? undefined : preview.json.plan?.hash;
      const decided = await send(hash === undefined ? {} : { hash });
      const isWhole = decided.json.refused.length === 0;
      return { ...decided, code: isWhole ? undefined : exitCodes.failed };
    },
  });
}

function toDecidedText(decided: OpsJson<'DriftsDecided'>, words: string): string {
  const { dryRun, done, refused, plan } = decided;
  const head = `${done} ${dryRun ? 'can be ' : ''}${words}, ${refused.length} not.`;
  const lines = [head, ...refused.map(({ id, reason }) => `  ${id}  ${reason}`)];
  if (plan !== null) {
    const { id, hash, counts, exceeded } = plan;
    const name = id === null ? `The plan ${hash}` : `Plan ${id}`;
    const kinds = Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}`);
    lines.push(`${name}: ${toCount(counts.total, 'action')}`, ...kinds);
    lines.push(...exceeded.map((limit) => `  above the limit: ${limit}`));
  }
  return toText(lines.join('\n'));
}
