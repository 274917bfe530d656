import { type Command, Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { PLAN_STATUSES } from '../domain/plan.ts';
import { toCount } from '../domain/text.ts';
import { toReleaseText } from '../ops/recovery/release.ts';
import type { ReadingView } from '../ops/schemas/kinds.ts';
import type { PlanAnswer, PlanSummary } from '../ops/schemas/plans.ts';
import type { FirstRunItem, FirstRunView, RecoveryView } from '../ops/schemas/recovery.ts';
import type { Status } from '../ops/schemas/state.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import {
  addListOptions,
  addShowOptions,
  LIST_HELP,
  type ListOptions,
  readPages,
  type ShowOptions,
  show,
  showList,
} from './listing.ts';
import { toMoment } from './lists.ts';
import { toPlanAnswerText, toSeatText } from './plan-text.ts';
import { createProgress, type Progress } from './progress.ts';
import { toReadingText } from './status.ts';
import { type Colour, type Column, toDim } from './table.ts';

/** `plan`: shows what the bridge would do, and takes the decision about it. */
export const addPlanCommand: AddCommand = (program, context) => {
  const plan = program
    .command('plan')
    .description('what the bridge would do in the service (asks the running bridge)');
  addShow(plan, context);
  addList(plan, context);
  addDecision(plan, context, {
    usage: 'approve <id> <hash>',
    description: 'do exactly what was shown, as far as it still holds',
  });
  addDecision(plan, context, {
    usage: 'discard <id>',
    description: 'do nothing of it; what it holds back stays as the service has it',
    question: (id) =>
      `Discard the plan ${id}? Nothing of it is done, and that cannot be taken back.`,
  });
  addDecision(plan, context, {
    usage: 'undo <id>',
    description: 'memberships, admins, active flags and handovers as they were before it',
    question: (id) => `Undo the plan ${id} in the service?`,
  });
};

function addShow(parent: Command, context: CliContext): void {
  const command = parent
    .command('show [id]')
    .description('a plan: by its id, the one that waits, or the plan of the first day')
    .option('--first-run', 'what is accepted while observing, or held since: who matches whom');
  addShowOptions(command)
    .addHelpText('after', help)
    .action((id: string | undefined, options: ShowOptions & { readonly firstRun?: true }) => {
      if (!options.firstRun) return showPlan(context, { id, options });
      if (id !== undefined) command.error('error: --first-run has no id');
      return showFirstRun(context, options);
    });
}

function showFirstRun(context: CliContext, options: ShowOptions): Promise<void> {
  return show(context, {
    options,
    async read(client) {
      const progress = createProgress(context);
      return readAll(client, progress).finally(progress.end);
    },
    async toText(view, client) {
      const plan = await findPlan(client, view.planId ?? undefined);
      const decision = plan?.status === 'held' ? `\n${toPlanAnswerText(plan)}` : '';
      return `${toText(view)}${decision}`;
    },
  });
}

function showPlan(
  context: CliContext,
  { id, options }: { readonly id: string | undefined; readonly options: ShowOptions },
): Promise<void> {
  return show(context, {
    options,
    async read(client) {
      const waiting = id === undefined ? await listPlans(client, '?status=held') : [];
      return (await findPlan(client, id ?? waiting[0]?.id)) ?? null;
    },
    async toText(plan, client) {
      if (plan === null) return toNoneText(client);
      const waiting = id === undefined ? await listPlans(client, '?status=held') : [];
      const others = waiting.filter((other) => other.id !== plan.id).map(toPlanLine);
      const text = toPlanAnswerText(plan);
      return others.length === 0 ? text : `${text}\nOther plans wait:\n${others.join('')}`;
    },
  });
}

async function toNoneText(client: OpsClient): Promise<string> {
  const status = parseAnswer<Status>(await client.send('GET', '/status'));
  if (status.firstRead !== null)
    return `No plan waits; the service is read for the first time: ${toReadingText(status.firstRead)}.\n`;
  const making = await listPlans(client, '?status=making');
  const { reading, release } = parseAnswer<RecoveryView>(await client.send('GET', '/recovery'));
  if (making.length > 0) return toMakingText(reading);
  return `No plan waits.\n${release === null ? '' : toReleaseText(release, Date.now())}`;
}

function toMakingText(reading: ReadingView | null): string {
  const progress = reading === null ? '' : `: ${toReadingText(reading)}`;
  return `A plan is being made; the whole service is read first${progress}.\n`;
}

/** The plan with this id; undefined: no id. */
async function findPlan(
  client: OpsClient,
  id: string | undefined,
): Promise<PlanAnswer | undefined> {
  if (id === undefined) return undefined;
  return parseAnswer<PlanAnswer>(await client.send('GET', `/plans/${encodeURIComponent(id)}`));
}

async function listPlans(client: OpsClient, query: string): Promise<readonly PlanSummary[]> {
  return parseAnswer<{ items: PlanSummary[] }>(await client.send('GET', `/plans${query}`)).items;
}

function addList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description('plans, the newest first')
    .addOption(new Option('--status <status>', 'in this status alone').choices(PLAN_STATUSES));
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action(({ status, ...options }: ListOptions & { readonly status?: string }) =>
      showList<PlanSummary>(context, {
        options,
        path: '/plans',
        query: { status },
        none: status === undefined ? 'There is no plan yet.' : 'There is no plan like that.',
        columns,
      }),
    );
}

const columns: readonly Column<PlanSummary>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'made', rank: 'minor', cell: ({ createdAt }) => toMoment(createdAt) },
  { head: 'status', cell: ({ status }) => ({ text: status, colour: COLOURS[status] }) },
  { head: 'actions', cell: ({ counts }) => `${counts.total}` },
  { head: 'of', cell: ({ source }) => source },
  { head: 'why it waits', cell: ({ reason }) => reason ?? '' },
];

const COLOURS: Readonly<Record<PlanSummary['status'], Colour | undefined>> = {
  making: undefined,
  held: 'yellow',
  approved: undefined,
  applied: 'green',
  discarded: 'dim',
};

function toPlanLine({ id, status, source, counts, createdAt, reason }: PlanSummary): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${id}  ${createdAt}  ${status.padEnd(9)} ${toCount(counts.total, 'action')} of ${source}${why}\n`;
}

interface DecisionCommand {
  /** Name of the command, and its arguments. */
  readonly usage: `${'approve' | 'discard' | 'undo'} <id>${string}`;
  readonly description: string;
  /** Asked first; undefined: the hash is the confirmation. */
  readonly question?: (id: string) => string;
}

interface DecisionOptions {
  readonly json?: true;
  readonly yes?: true;
}

function addDecision(
  parent: Command,
  context: CliContext,
  { usage, description, question }: DecisionCommand,
): void {
  const command = parent.command(usage).description(description);
  if (question !== undefined) command.option(...YES);
  command.option('--json', 'as one JSON object');
  command.action(async (id: string, ...given: unknown[]) => {
    const { json, yes } = command.opts<DecisionOptions>();
    if (question !== undefined) {
      const asked = { yes, question: question(id) };
      if (!(await confirm(command, context, asked))) return;
    }
    const [hash] = given;
    const path = `/plans/${encodeURIComponent(id)}/${command.name()}` as const;
    const body = typeof hash === 'string' ? { hash } : undefined;
    const plan = parseAnswer<PlanAnswer>(await context.connect().send('POST', path, body));
    context.write(json ? toJson(plan) : toPlanAnswerText(plan));
  });
}

const help = `
  adopt       matches an account or group that exists, which is taken over
  linked      belongs to one that the bridge made or took over before
  create      matches none, and would be made; inactive: once it is active
  remove      was deleted by its provider
  disputed    fits several, or waits for you; its provider is answered 409
  privileged  exists and is never taken over by itself: an owner, protected, a group with rights or admins`;

/** Joins every page. */
async function readAll(client: OpsClient, progress: Progress): Promise<FirstRunView> {
  const reading = { path: '/plans/first-run', limit: Number.MAX_SAFE_INTEGER } as const;
  return readPages<FirstRunItem, FirstRunView>(client, reading, ({ items, counts }) => {
    const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
    progress.tell('Reading the list', { done: items.length, total });
  });
}

function toText({ phase, reading, release, counts, kinds, seats, items }: FirstRunView): string {
  const lines = Object.entries({ ...counts, ...kinds }).map(
    ([name, count]) => `  ${pad(name)} ${count}\n`,
  );
  const entries = items.map(toLine);
  const progress = [
    reading === null ? '' : `It is ${toReadingText(reading)}.\n`,
    release === null ? '' : toReleaseText(release, Date.now()),
    toSeatText(seats),
  ].join('');
  return `${PHASES[phase]}\n${progress}${lines.join('')}\n${entries.join('')}`;
}

const PHASES: Readonly<Record<FirstRunView['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toLine({ type, name, outcome, upstreamId, reason, changes }: FirstRunItem): string {
  const existing = upstreamId === null ? '' : ` (${upstreamId})`;
  const why = reason === null ? '' : `: ${reason}`;
  const lines = changes.map(({ kind, count, desired, observed }) => {
    const what =
      desired === null ? count : `${JSON.stringify(observed)} → ${JSON.stringify(desired)}`;
    return `${' '.repeat(19)}${kind.padEnd(18)} ${what}\n`;
  });
  return `  ${outcome.padEnd(10)} ${type.padEnd(5)} ${name}${existing}${why}\n${lines.join('')}`;
}

function pad(name: string): string {
  return name.padEnd(18);
}
