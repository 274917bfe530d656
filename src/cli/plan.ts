import type { OpsClient } from '../app/ops-client.ts';
import { isHolding } from '../domain/plan.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import { isOwnPlan, toReadingText, toReleaseText, toSeatText } from '../ops/lists/details.ts';
import { ACTIONS, FIRST_RUN } from '../ops/lists/plans.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { parseAnswer, readAnswer } from './json.ts';
import { addShowOptions, readList, type ShowOptions, show } from './listing.ts';
import { type Output, toMoments, toTable, toText } from './table.ts';

/** `plan show`: shows what the bridge would do. */
export const addPlanShow: AddCommand = (program, context) => {
  const about = 'show a plan by its id, the one that waits, or the plan of the first day';
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
      if (plan === null) return toMoments(await toNoneText(client));
      const waiting = id === undefined ? await listPlans(client, 'held') : [];
      const others = waiting.flatMap((other) => (other.id === plan.id ? [] : `  ${other.id}\n`));
      const more = others.length === 0 ? '' : `\nOther plans wait:\n${others.join('')}`;
      return `${toPlanText(plan, context)}${more}`;
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
  return `No plan waits.\n${toApproved(release)}`;
}

function toApproved(release: OpsJson<'Recovery'>['release']): string {
  return release === null ? '' : `The approved plan: ${toReleaseText(release)}\n`;
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

function showFirstRun(context: CliContext, options: ShowOptions): Promise<void> {
  return show(context, {
    options,
    read: (client) =>
      readList<OpsJson<'FirstRunItem'>, OpsJson<'FirstRun'>>(client, {
        path: '/plans/first-run',
        context,
      }),
    async toText(view, client) {
      const plan = await findPlan(client, view.planId ?? undefined);
      const decision = plan?.status === 'held' ? `\n${toPlanText(plan, context)}` : '';
      return `${toFirstRunText(view, context)}${decision}`;
    },
  });
}

const PHASES: Readonly<Record<OpsJson<'FirstRun'>['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held until its plan is decided.',
};

function toFirstRunText(view: OpsJson<'FirstRun'>, output: Output): string {
  const { phase, reading, release, counts, kinds, seats, items } = view;
  const sums = Object.entries({ ...counts, ...kinds });
  return [
    `${PHASES[phase]}\n`,
    reading === null ? '' : toMoments(`It is ${toReadingText(reading)}.\n`),
    toMoments(toApproved(release)),
    toSeats(seats),
    ...sums.map(([name, count]) => `  ${name.padEnd(18)} ${count}\n`),
    items.length === 0 ? '' : `\n${toTable(items, FIRST_RUN.columns, output)}`,
  ].join('');
}

function toSeats(seats: OpsJson<'PlanSeats'> | null): string {
  const text = toSeatText(seats);
  return text === '' ? '' : `Seats: ${text}.\n`;
}

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
export function toPlanText(plan: OpsJson<'Plan'>, output: Output): string {
  const { id, hash, status, source, counts, summary, actions } = plan;
  const unknown = isOwnPlan(plan) ? '' : 'not known by whom';
  const sums = summary.map(({ kind, by, count }) => {
    const author = by === null ? unknown : `by ${by}`;
    return `  ${String(count).padStart(6)} ${kind.padEnd(18)} ${author}`.trimEnd();
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
    toText(toPlanHead(plan)),
    toSeats(plan.seats),
    ...sums.map((line) => `${line}\n`),
    actions.length === 0 ? '' : `\n${toTable(actions, ACTIONS, output)}`,
    left > 0 ? `and ${left} more\n` : '',
    status === 'held' ? decisions : '',
  ].join('');
}
