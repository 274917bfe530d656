import type { Command } from 'commander';
import { createOpsClient, type OpsClient } from '../app/ops-client.ts';
import { toReleaseText } from '../ops/recovery/release.ts';
import type { PlanAnswer, PlanSummary } from '../ops/schemas/plans.ts';
import type { FirstRunItem, FirstRunView, RecoveryView } from '../ops/schemas/recovery.ts';
import type { AddCommand, CliContext } from './context.ts';
import { parseAnswer, toJson } from './json.ts';
import { toPlanAnswerText } from './plan-text.ts';

/** Entries of one page. */
const PAGE = 1_000;

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
  });
  addDecision(plan, context, {
    usage: 'undo <id>',
    description: 'memberships, admins and active flags as they were before it',
  });
};

function addShow(parent: Command, { loadSettings, write }: CliContext): void {
  const command = parent
    .command('show [id]')
    .description('a plan: by its id, the one that waits, or the plan of the first day')
    .option('--first-run', 'what is accepted while observing, or held since: who matches whom')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (id: string | undefined, { firstRun, json }: ShowOptions) => {
      const client = createOpsClient(loadSettings().settings);
      if (firstRun && id !== undefined) command.error('error: --first-run has no id');
      write(firstRun ? await showFirstRun(client, json) : await showPlan(client, { id, json }));
    });
}

async function showFirstRun(client: OpsClient, json: true | undefined): Promise<string> {
  const view = await readAll(client);
  if (json) return toJson(view);
  const plan = await findPlan(client, view.planId ?? undefined);
  const decision = plan?.status === 'held' ? `\n${toPlanAnswerText(plan)}` : '';
  return `${toText(view)}${decision}`;
}

async function showPlan(
  client: OpsClient,
  { id, json }: { id: string | undefined; json: true | undefined },
): Promise<string> {
  const waiting = id === undefined ? await listPlans(client, '?status=held') : [];
  const plan = await findPlan(client, id ?? waiting[0]?.id);
  if (json) return toJson(plan ?? null);
  const others = waiting.slice(1).map(toPlanLine).join('');
  if (plan !== undefined) {
    return `${toPlanAnswerText(plan)}${others === '' ? '' : `\nOther plans wait:\n${others}`}`;
  }
  const making = await listPlans(client, '?status=making');
  if (making.length > 0) return 'A plan is being made: the whole service is read first.\n';
  const { release } = parseAnswer<RecoveryView>(await client.send('GET', '/recovery'));
  return `No plan waits.\n${release === null ? '' : toReleaseText(release, Date.now())}`;
}

interface ShowOptions {
  readonly firstRun?: true;
  readonly json?: true;
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

function addList(parent: Command, { loadSettings, write }: CliContext): void {
  parent
    .command('list')
    .description('the newest hundred plans')
    .option('--json', 'as one JSON object')
    .action(async ({ json }: { json?: true }) => {
      const plans = await listPlans(createOpsClient(loadSettings().settings), '');
      write(json ? toJson(plans) : plans.map(toPlanLine).join('') || 'There is no plan yet.\n');
    });
}

function toPlanLine({ id, status, source, counts, createdAt, reason }: PlanSummary): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${id}  ${createdAt}  ${status.padEnd(9)} ${counts.total} actions of ${source}${why}\n`;
}

interface DecisionCommand {
  /** Name of the command, and its arguments. */
  readonly usage: `${'approve' | 'discard' | 'undo'} <id>${string}`;
  readonly description: string;
}

function addDecision(
  parent: Command,
  { loadSettings, write }: CliContext,
  { usage, description }: DecisionCommand,
): void {
  const command = parent
    .command(usage)
    .description(description)
    .action(async (id: string, given?: unknown) => {
      const client = createOpsClient(loadSettings().settings);
      const path = `/plans/${encodeURIComponent(id)}/${command.name()}` as const;
      const body = typeof given === 'string' ? { hash: given } : undefined;
      const answer = await client.send('POST', path, body);
      write(toPlanAnswerText(parseAnswer<PlanAnswer>(answer)));
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
async function readAll(client: OpsClient): Promise<FirstRunView> {
  const first = parseAnswer<FirstRunView>(
    await client.send('GET', `/plans/first-run?limit=${PAGE}`),
  );
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const path = `/plans/first-run?limit=${PAGE}&cursor=${cursor}` as const;
    const page = parseAnswer<FirstRunView>(await client.send('GET', path));
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { ...first, items, nextCursor: null };
}

function toText({ phase, release, counts, items }: FirstRunView): string {
  const lines = Object.entries(counts ?? {}).map(([name, count]) => `  ${pad(name)} ${count}\n`);
  const entries = items.map(toLine);
  const progress = release === null ? '' : toReleaseText(release, Date.now());
  return `${PHASES[phase]}\n${progress}${lines.join('')}\n${entries.join('')}`;
}

const PHASES: Readonly<Record<FirstRunView['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toLine({ type, name, outcome, upstreamId, reason }: FirstRunItem): string {
  const existing = upstreamId === null ? '' : ` (${upstreamId})`;
  const why = reason === null ? '' : `: ${reason}`;
  return `  ${outcome.padEnd(10)} ${type.padEnd(5)} ${name}${existing}${why}\n`;
}

function pad(name: string): string {
  return name.padEnd(18);
}
