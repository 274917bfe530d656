import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError, toCount } from '../domain/values.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import * as details from '../ops/lists/details.ts';
import { ACTIONS, FIELDS, FIRST_RUN, SETTINGS, toLinkColumns } from '../ops/lists/tables.ts';
import { toDecisions } from '../ops/lists/words.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import type { ShownSetting } from '../settings/shown.ts';
import type { CliContext } from './command.ts';
import { commandOf, exitCodes, WrongUsage } from './command.ts';
import { countOption, JSON_TEXT } from './options.ts';
import { askOps, readList } from './requests.ts';
import * as table from './table.ts';

/** Commands that show one thing, or have it looked at first, and one that does what another one shows. */
export const show = {
  STATUS: commandOf<{ readonly exitCode?: true }>({
    usage: 'status',
    about: 'show how the bridge is, what waits and what to do',
    options: [['--exit-code', 'exit with 2 when a reason is shown'], JSON_TEXT],
    async run({ connect, typed: { exitCode }, ...screen }) {
      const json = await askOps(connect(), 'Status', '/status');
      const isIncomplete = exitCode && json.status !== 'ok';
      const code = isIncomplete ? exitCodes.incomplete : exitCodes.done;
      return { json, text: toStatusText(json, screen), code };
    },
  }),
  EXPLAIN: commandOf<{ readonly name: readonly string[] }>({
    usage: 'explain <name...>',
    about: 'show why each field of a person or group is as it is',
    help: 'The name is a SCIM id, a userName, an address or a displayName in any case: docs/drift.md#explain.',
    options: [JSON_TEXT],
    async run({ connect, typed, ...screen }) {
      const [name = '', type, ...more] = typed.name.toReversed();
      const isTyped = type === 'user' || type === 'group';
      if (more.length > 0 || (type !== undefined && !isTyped))
        throw new WrongUsage('Say user or group and one name; put a name with spaces in quotes.');
      const key = encodeURIComponent(name);
      const path = isTyped ? (`/${type}s/${key}/explain` as const) : (`/explain/${key}` as const);
      const json = await askOps(connect(), 'Explanation', path);
      return { json, text: toExplanationText(json, screen) };
    },
  }),
  WHY: commandOf<{ readonly name: string; readonly limit: number }>({
    usage: 'why <name>',
    about: 'show what led to the state of a person or group, the oldest first',
    help: 'The name is a userName, an address, a displayName or a SCIM id: docs/drift.md#why.',
    options: [
      countOption('--limit <number>', 'how many entries, the newest').default(100),
      JSON_TEXT,
    ],
    async run({ connect, typed: { name, limit } }) {
      const path = `/timeline/${encodeURIComponent(name)}?limit=${limit}` as const;
      const json = await askOps(connect(), 'Timeline', path);
      return { json, text: toTimelineText(json) };
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
    help: 'Names stay out of its output, so that a scheduled job may print it: docs/drift.md#sweeps.',
    async run({ typed: { dryRun = false, exitCode }, ...context }) {
      const json = await runSweep(context, dryRun);
      const failed = json.sweep.status === 'incomplete' ? exitCodes.failed : undefined;
      const code = exitCode && json.drifts.length > 0 ? exitCodes.incomplete : failed;
      return { json, text: toSweepText(json), code };
    },
  }),
  SETTINGS: commandOf<{ readonly here?: true }>({
    usage: 'settings',
    about: 'print the settings of the running bridge, without secrets',
    options: [
      ['--json', 'as GET /ops/settings answers it'],
      ['--here', 'those of this environment and file, which a bridge would start with here'],
    ],
    async run({ typed: { here }, connect, loadSettings }) {
      const client = here ? undefined : connect();
      const { shown, warnings } = loadSettings();
      const { items } = client
        ? await readList<ShownSetting>(client, '/settings')
        : { items: shown };
      const source = client
        ? `the bridge that answers at ${client.url}`
        : 'this environment and file; a running bridge may have others';
      return {
        json: { items, nextCursor: null },
        text: `Settings of ${source}:\n\n`,
        table: table.tableOf(items, SETTINGS.columns),
        notes: client ? '' : warnings.map((warning) => `Warning: ${warning}\n`).join(''),
      };
    },
  }),
  PLAN: commandOf<{ readonly id?: string; readonly firstRun?: true }>({
    usage: 'plan show [id]',
    about: 'show a plan: the one that waits, or by its id',
    help: 'What adopt, linked, create, remove and privileged mean: docs/go-live.md#observe.',
    options: [
      ['--first-run', 'what providers sent while the bridge observed, and whom it matches'],
      JSON_TEXT,
    ],
    async run({ connect, typed: { id, firstRun }, ...screen }) {
      if (firstRun && id !== undefined) throw new WrongUsage('--first-run has no id');
      const client = connect();
      if (firstRun) {
        const path = '/plans/first-run';
        const json = await readList<OpsJson<'FirstRunItem'>, OpsJson<'FirstRun'>>(client, path);
        return { json, text: toFirstRunText(json, screen) };
      }
      const list = () => askOps(client, 'PlanList', '/plans?status=held&limit=1');
      const known = id ?? (await list()).items[0]?.id;
      if (known === undefined) return { json: null, text: 'No plan waits.\n' };
      const json = await askOps(client, 'Plan', `/plans/${encodeURIComponent(known)}`);
      return { json, text: toPlanText(json, screen) };
    },
  }),
  PROVIDER_PLAN: toFileCommand('plan', 'show what leads to a file of providers and tokens'),
  PROVIDER_APPLY: toFileCommand('apply', 'do what provider plan shows, one request after another'),
};

function toFileCommand(verb: 'plan' | 'apply', about: string) {
  return commandOf<{ readonly file?: string }>({
    usage: `provider ${verb} [file]`,
    about,
    help: 'It is providers.yaml beside the settings file if none is named: docs/go-live.md#providers-and-tokens-in-a-file.',
    options: [JSON_TEXT],
    async run({ typed, loadSettings, readFile, connect }) {
      const file = await import('../app/providers-file.ts');
      const declared = file.readDeclared(typed.file ?? loadSettings().providersFile, readFile);
      const client = connect();
      const providers = await readList<OpsJson<'Provider'>>(client, '/providers');
      const tokens = await readList<OpsJson<'Token'>>(client, '/tokens');
      const plan = file.planRequests(declared, providers.items, tokens.items);
      const steps = verb === 'plan' ? plan.steps : await file.sendRequests(client, plan.steps);
      const left = plan.left.map(({ path }) => `Not in the file, and not sent: ${path}\n`);
      const isDone = steps.every(({ result = 'done' }) => result === 'done');
      return {
        json: { ...plan, steps },
        text: [`Requests that lead to the file: ${steps.length}\n`, ...left].join(''),
        table: table.tableOf(steps, [
          { name: 'request', place: 'whole', value: ({ path }) => `POST /ops${path}` },
          { name: 'changes', isLong: true },
          { name: 'result' },
        ]),
        code: isDone ? exitCodes.done : exitCodes.failed,
      };
    },
  });
}

const TONES = { ok: 'good', degraded: 'waiting', unavailable: 'bad' } as const;

function toStatusText(answer: OpsJson<'Status'>, screen: table.Screen): string {
  const paint = table.createPaint(screen);
  const { status, bridge, reasons } = answer;
  const head = `${paint(status, TONES[status])}  scim-bridge ${bridge.version} on ${bridge.engine}, since ${bridge.startedAt}\n`;
  const lines = reasons.map(({ code, detail, remedy }) => {
    return `  ${paint(code, 'waiting')}: ${detail}\n      ${remedy}\n`;
  });
  const facts = details.listStatusFacts(answer);
  return `${table.toMoments([head, ...lines].join(''))}${table.toDetails(facts, screen)}`;
}

function toExplanationText(explanation: OpsJson<'Explanation'>, screen: table.Screen): string {
  const { fields, admins, groups, more } = explanation;
  const toLinks = (title: string, links: readonly OpsJson<'Member'>[] | undefined) => {
    if (links === undefined) return '';
    if (links.length === 0) return `\n${title}: none\n`;
    return `\n${title}:\n${table.toTable(links, toLinkColumns('user'), screen)}${more > 0 ? `and ${more} more\n` : ''}`;
  };
  return [
    toHead(explanation),
    table.toDetails(details.listResourceFacts(explanation), screen),
    `\n${table.toTable(fields, FIELDS, screen)}`,
    toLinks('Admins', admins),
    toLinks('Groups', groups),
  ].join('');
}

function toHead(of: OpsJson<'Timeline'> | OpsJson<'Explanation'>): string {
  return `${of.type} ${table.toPlain(of.name)}${of.deleted ? ' (deleted)' : ''}\n`;
}

function toTimelineText(timeline: OpsJson<'Timeline'>): string {
  const { id, managed, items, more } = timeline;
  const lines = items.map(({ at, source, text, others }) => {
    const names = others.map((other) => other.name ?? other.id).join(', ');
    const title = source === 'audit' ? 'audit log' : source;
    const of = names === '' ? '' : ` [${names}]`;
    return `${at}  ${title.padEnd(9)}  ${table.toPlain(`${text}${of}`)}\n`;
  });
  return [
    toHead(timeline),
    `id ${id}, ${managed === 'no' ? 'only observed' : `managed, ${managed}`}\n\n`,
    more ? 'earlier: ask for more with --limit\n' : '',
    ...lines,
  ].join('');
}

const PHASES: Readonly<Record<OpsJson<'FirstRun'>['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toFirstRunText(view: OpsJson<'FirstRun'>, screen: table.Screen): string {
  const { phase, counts, kinds, seats, items, planId } = view;
  const sums = Object.entries({ ...counts, ...kinds });
  return [
    `${PHASES[phase]}\n`,
    toSeats(seats),
    ...sums.map(([name, count]) => `  ${name.padEnd(18)} ${count}\n`),
    items.length === 0 ? '' : `\n${table.toTable(items, FIRST_RUN.columns, screen)}`,
    planId === null ? '' : `\nIts plan: scim-bridge plan show ${planId}\n`,
  ].join('');
}

function toSeats(seats: OpsJson<'PlanSeats'> | null): string {
  const text = details.toSeatText(seats);
  return text === '' ? '' : `Seats: ${text}.\n`;
}

function toPlanText(plan: OpsJson<'Plan'>, screen: table.Screen): string {
  const { id, hash, status, counts, summary, actions } = plan;
  const unknown = details.isOwnPlan(plan) ? '' : 'not known by whom';
  const sums = summary.map(({ kind, by, count }) => {
    const author = by === null ? unknown : `by ${by}`;
    return `${`  ${String(count).padStart(6)} ${kind.padEnd(18)} ${author}`.trimEnd()}\n`;
  });
  const left = counts.total - actions.length;
  return [
    table.toText(toPlanHead(plan)),
    toSeats(plan.seats),
    left > 0 ? `  of the first ${actions.length}:\n` : '',
    ...sums,
    actions.length === 0 ? '' : `\n${table.toTable(actions, ACTIONS, screen)}`,
    left > 0 ? `and ${left} more\n` : '',
    status === 'held' ? `\n${toDecisions(id, hash)}\n` : '',
  ].join('');
}

const POLL_MS = 250;

type SweepResult = Awaited<ReturnType<typeof runSweep>>;

async function runSweep({ showProgress, connect }: CliContext, dryRun: boolean) {
  const client = connect();
  const { id } = await askOps(client, 'SweepAsked', '/sweeps', { dryRun });
  const readSweep = () => askOps(client, 'Sweep', `/sweeps/${id}`);
  let sweep = await readSweep();
  for (; sweep.status === 'running'; sweep = await readSweep()) {
    if (sweep.progress !== null) showProgress?.(details.toReadingText(sweep.progress));
    // Until an operator has decided about held changes, nothing is compared.
    const { phase } = await askOps(client, 'Recovery', '/recovery');
    const words = 'what is held waits for a decision first: see scim-bridge plan show';
    if (phase === 'waiting') throw new BridgeError('recovery-waits', words);
    await sleep(POLL_MS);
  }
  const { planId } = sweep;
  const plan = planId === null ? undefined : await askOps(client, 'Plan', `/plans/${planId}`);
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
  return table.toText(lines.join('\n'));
}
