import type { OpsClient } from '../app/ops-client.ts';
import { toCount } from '../domain/text.ts';
import type { ReleaseView } from '../ops/schemas/kinds.ts';
import type { PlanAnswer, PlanSummary } from '../ops/schemas/plans.ts';
import type { FirstRunItem, FirstRunView, RecoveryView } from '../ops/schemas/recovery.ts';
import type { Status } from '../ops/schemas/state.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { parseAnswer } from './json.ts';
import { addShowOptions, readPages, type ShowOptions, show } from './listing.ts';
import { toPlanAnswerText, toSeatText } from './plan-text.ts';
import { createProgress, toTimeText } from './progress.ts';
import { toReadingText } from './status.ts';

/** `plan show`: shows what the bridge would do. */
export const addPlanShow: AddCommand = (program, context) => {
  const about = 'a plan: by its id, the one that waits, or the plan of the first day';
  const command = addCommand(program, 'plan show [id]', about).option(
    '--first-run',
    'what is accepted while observing, or held since: who matches whom',
  );
  addShowOptions(command)
    .addHelpText('after', HELP)
    .action((id: string | undefined, options: ShowOptions & { readonly firstRun?: true }) => {
      if (!options.firstRun) return showPlan(context, id, options);
      if (id !== undefined) command.error('error: --first-run has no id');
      return showFirstRun(context, options);
    });
};

const HELP = `
  adopt       matches an account or group that exists, which is taken over
  linked      belongs to one that the bridge made or took over before
  create      matches none, and would be made; inactive: once it is active
  remove      was deleted by its provider
  disputed    fits several, or waits for you; its provider is answered 409
  privileged  exists and is never taken over by itself: an owner, protected, a group with rights or admins`;

function showPlan(
  context: CliContext,
  id: string | undefined,
  options: ShowOptions,
): Promise<void> {
  return show(context, {
    options,
    async read(client) {
      const waiting = id === undefined ? await listPlans(client, 'held') : [];
      return (await findPlan(client, id ?? waiting[0]?.id)) ?? null;
    },
    async toText(plan, client) {
      if (plan === null) return toNoneText(client);
      const waiting = id === undefined ? await listPlans(client, 'held') : [];
      const others = waiting.filter((other) => other.id !== plan.id).map(toPlanLine);
      const text = toPlanAnswerText(plan);
      return others.length === 0 ? text : `${text}\nOther plans wait:\n${others.join('')}`;
    },
  });
}

async function toNoneText(client: OpsClient): Promise<string> {
  const { firstRead } = parseAnswer<Status>(await client.send('GET', '/status'));
  if (firstRead !== null)
    return `No plan waits; the service is read for the first time: ${toReadingText(firstRead)}.\n`;
  const making = await listPlans(client, 'making');
  const { reading, release } = parseAnswer<RecoveryView>(await client.send('GET', '/recovery'));
  const progress = reading === null ? '' : `: ${toReadingText(reading)}`;
  if (making.length > 0)
    return `A plan is being made; the whole service is read first${progress}.\n`;
  return `No plan waits.\n${release === null ? '' : toReleaseText(release)}`;
}

/** The plan with this id; undefined: no id. */
async function findPlan(
  client: OpsClient,
  id: string | undefined,
): Promise<PlanAnswer | undefined> {
  if (id === undefined) return undefined;
  return parseAnswer<PlanAnswer>(await client.send('GET', `/plans/${encodeURIComponent(id)}`));
}

async function listPlans(
  client: OpsClient,
  status: PlanSummary['status'],
): Promise<readonly PlanSummary[]> {
  const page = await client.send('GET', `/plans?status=${status}`);
  return parseAnswer<{ items: PlanSummary[] }>(page).items;
}

function toPlanLine({ id, status, source, counts, createdAt, reason }: PlanSummary): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${id}  ${createdAt}  ${status.padEnd(9)} ${toCount(counts.total, 'action')} of ${source}${why}\n`;
}

function showFirstRun(context: CliContext, options: ShowOptions): Promise<void> {
  return show(context, {
    options,
    async read(client) {
      const progress = createProgress(context);
      const reading = { path: '/plans/first-run', limit: Number.MAX_SAFE_INTEGER } as const;
      return readPages<FirstRunItem, FirstRunView>(client, reading, ({ items, counts }) => {
        const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
        progress.tell('Reading the list', { done: items.length, total });
      }).finally(progress.end);
    },
    async toText(view, client) {
      const plan = await findPlan(client, view.planId ?? undefined);
      const decision = plan?.status === 'held' ? `\n${toPlanAnswerText(plan)}` : '';
      return `${toFirstRunText(view)}${decision}`;
    },
  });
}

const PHASES: Readonly<Record<FirstRunView['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toFirstRunText(view: FirstRunView): string {
  const { phase, reading, release, counts, kinds, seats, items } = view;
  const sums = Object.entries({ ...counts, ...kinds });
  return [
    `${PHASES[phase]}\n`,
    reading === null ? '' : `It is ${toReadingText(reading)}.\n`,
    release === null ? '' : toReleaseText(release),
    toSeatText(seats),
    ...sums.map(([name, count]) => `  ${name.padEnd(18)} ${count}\n`),
    '\n',
    ...items.map(toLine),
  ].join('');
}

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

/** How far an approved plan has come, and how long it takes at the rate so far. */
function toReleaseText({ total, done, stuck, startedAt, endsAt }: ReleaseView): string {
  const refused = stuck === 0 ? '' : `, ${stuck} stuck`;
  const leftMs = endsAt === null ? 0 : Math.max(0, Date.parse(endsAt) - Date.now());
  const rest = endsAt === null ? '' : `, about ${toTimeText(leftMs)} left`;
  return `The approved plan: ${done} of ${toCount(total, 'person or group is', 'people and groups are')} done${refused}${rest} (begun at ${startedAt})\n`;
}
