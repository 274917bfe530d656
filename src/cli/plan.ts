import type { OpsClient } from '../app/ops-client.ts';
import { isHolding } from '../domain/plan.ts';
import { toCount } from '../domain/text.ts';
import { toSubject } from '../ops/lists/drifts.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { parseAnswer, readAnswer } from './json.ts';
import { addShowOptions, readPages, type ShowOptions, show } from './listing.ts';
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
  const { firstRead } = await readAnswer(client, 'Status', '/status');
  if (firstRead !== null)
    return `No plan waits; the service is read for the first time: ${toReadingText(firstRead)}.\n`;
  const making = await listPlans(client, 'making');
  const { reading, release } = await readAnswer(client, 'Recovery', '/recovery');
  const progress = reading === null ? '' : `: ${toReadingText(reading)}`;
  if (making.length > 0)
    return `A plan is being made; the whole service is read first${progress}.\n`;
  return `No plan waits.\n${release === null ? '' : toReleaseText(release)}`;
}

/** The plan with this id; undefined: no id. */
async function findPlan(
  client: OpsClient,
  id: string | undefined,
): Promise<OpsJson<'Plan'> | undefined> {
  if (id === undefined) return undefined;
  return await readAnswer(client, 'Plan', `/plans/${encodeURIComponent(id)}`);
}

async function listPlans(
  client: OpsClient,
  status: OpsJson<'PlanSummary'>['status'],
): Promise<readonly OpsJson<'PlanSummary'>[]> {
  const page = await client.send('GET', `/plans?status=${status}`);
  return parseAnswer<{ items: OpsJson<'PlanSummary'>[] }>(page).items;
}

function toPlanLine({
  id,
  status,
  source,
  counts,
  createdAt,
  reason,
}: OpsJson<'PlanSummary'>): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${id}  ${createdAt}  ${status.padEnd(9)} ${toCount(counts.total, 'action')} of ${source}${why}\n`;
}

function showFirstRun(context: CliContext, options: ShowOptions): Promise<void> {
  return show(context, {
    options,
    async read(client) {
      const progress = createProgress(context);
      const reading = { path: '/plans/first-run', limit: Number.MAX_SAFE_INTEGER } as const;
      return readPages<OpsJson<'FirstRunItem'>, OpsJson<'FirstRun'>>(
        client,
        reading,
        ({ items, counts }) => {
          const total = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
          progress.tell('Reading the list', { done: items.length, total });
        },
      ).finally(progress.end);
    },
    async toText(view, client) {
      const plan = await findPlan(client, view.planId ?? undefined);
      const decision = plan?.status === 'held' ? `\n${toPlanAnswerText(plan)}` : '';
      return `${toFirstRunText(view)}${decision}`;
    },
  });
}

const PHASES: Readonly<Record<OpsJson<'FirstRun'>['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toFirstRunText(view: OpsJson<'FirstRun'>): string {
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

function toLine({
  type,
  name,
  outcome,
  upstreamId,
  reason,
  changes,
}: OpsJson<'FirstRunItem'>): string {
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
function toReleaseText({ total, done, stuck, startedAt, endsAt }: OpsJson<'Release'>): string {
  const refused = stuck === 0 ? '' : `, ${stuck} stuck`;
  const leftMs = endsAt === null ? 0 : Math.max(0, Date.parse(endsAt) - Date.now());
  const rest = endsAt === null ? '' : `, about ${toTimeText(leftMs)} left`;
  return `The approved plan: ${done} of ${toCount(total, 'person or group is', 'people and groups are')} done${refused}${rest} (begun at ${startedAt})\n`;
}

/** Prints the counts of a plan in one line that names no user and no group. */
export function toPlanHead(plan: OpsJson<'Plan'>): string {
  const { id, status, source, reason, counts, waiting } = plan;
  const why = reason === null ? '' : ` (${reason})`;
  const rest = status === 'held' ? `, ${toCount(waiting, 'waits', 'wait')}` : '';
  return `Plan ${id} of ${source}: ${toCount(counts.total, 'action')}, ${status}${rest}${why}\n`;
}

/** Prints the seats that a plan needs; nothing where it needs none, or how many are free is not known. */
function toSeatText(seats: OpsJson<'PlanSeats'> | null): string {
  if (seats === null || seats.needs === 0 || seats.has === null) return '';
  const freed = seats.frees === 0 ? '' : `, frees ${seats.frees}`;
  return `Seats: needs ${seats.needs}${freed}, has ${seats.has}.\n`;
}

/** Sources of plans that are about no change in the service. */
const OWN: readonly OpsJson<'Plan'>['source'][] = ['handover', 'undo', 'first-run'];

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
export function toPlanAnswerText(plan: OpsJson<'Plan'>): string {
  const { id, hash, status, source, counts, summary, actions } = plan;
  const unknown = OWN.includes(source) ? '' : 'not known by whom';
  const sums = summary.map(({ kind, by, count }) => {
    const author = by === null ? unknown : `by ${by}`;
    return `  ${String(count).padStart(6)} ${kind.padEnd(18)} ${author}`.trimEnd();
  });
  const lines = actions.map((action) => {
    const { kind, harm, who, reason } = action;
    const isHarm = harm === null ? '' : ` [${harm}]`;
    const author = who === null ? '' : ` · ${who.by} at ${who.at}`;
    return `  ${kind.padEnd(18)} ${toSubject(action)}: ${reason}${isHarm} · ${action.status}${author}`;
  });
  const left = counts.total - actions.length;
  const nothing = isHolding(source)
    ? 'leaves the service as it is, and takes that as what is desired'
    : 'does nothing of it';
  const decisions = `
scim-bridge plan approve ${id} ${hash}   does exactly this, as far as it still holds
scim-bridge plan discard ${id}   ${nothing}
`;
  return [
    toPlanHead(plan),
    toSeatText(plan.seats),
    ...sums.map((line) => `${line}\n`),
    '\n',
    ...lines.map((line) => `${line}\n`),
    left > 0 ? `  … and ${left} more\n` : '',
    status === 'held' ? decisions : '',
  ].join('');
}
