import type { OpsClient } from '../app/ops-client.ts';
import { isHolding } from '../domain/plan.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import * as details from '../ops/lists/details.ts';
import { toProblemText } from '../ops/lists/list.ts';
import { ACTIONS, FIRST_RUN } from '../ops/lists/plans.ts';
import { FIELDS, toLinkColumns } from '../ops/lists/resources.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, parseAnswer, readAnswer } from './json.ts';
import { addShowOptions, parseCount, readList, type ShowOptions, show } from './listing.ts';
import {
  createPaint,
  type Output,
  toDetails,
  toMoments,
  toPlain,
  toTable,
  toText,
} from './table.ts';

/** Problems of one kind that are shown; the others are counted. */
const SHOWN_MAX = 10;

/** `status`: tells how the bridge is. */
export const addStatusCommand: AddCommand = (program, context) => {
  const about = 'tell how the bridge is, what waits and what is to be done';
  const command = addCommand(program, 'status', about);
  addShowOptions(command)
    .option('--exit-code', 'exit with 2 when an operator has something to do')
    .addHelpText('after', STATUS_HELP)
    .action(async (options: ShowOptions & { exitCode?: true }) => {
      await show<OpsJson<'Status'>>(context, {
        options,
        async read(client) {
          const status = await readAnswer(client, 'Status', '/status');
          const isWell = status.status === 'ok';
          if (options.exitCode) context.exitWith(isWell ? exitCodes.done : exitCodes.incomplete);
          return status;
        },
        toText: (status) => toStatusText(status, context),
      });
    });
};

const STATUS_HELP = `
--json prints what GET /ops/status answers; GET /ops/openapi.json describes it.

Exit codes:
  0   shown
  1   the bridge does not answer: the message says why
  2   with --exit-code: there are reasons, each with its remedy`;

const TONES = { ok: 'good', degraded: 'waiting', unavailable: 'bad' } as const;

function toStatusText(answer: OpsJson<'Status'>, context: CliContext): string {
  const paint = createPaint(context);
  const { status, bridge, reasons } = answer;
  const head = `${paint(status, TONES[status])}  scim-bridge ${bridge.version} on ${bridge.engine}, since ${bridge.startedAt}\n`;
  const lines = reasons.map(({ code, detail, remedy }) => {
    return `  ${paint(code, 'waiting')}: ${detail}\n      ${remedy}\n`;
  });
  const facts = [...details.listStatusFacts(answer), ...listTroubles(answer)];
  return `${toMoments([head, ...lines].join(''))}${toDetails(facts, context)}`;
}

function listTroubles({ stuck, failing, disputes }: OpsJson<'Status'>): details.Fact[] {
  const troubles = [...stuck, ...failing].slice(0, SHOWN_MAX);
  return [
    ...troubles.map(({ type, name, problem, nextAttemptAt }) => {
      return { title: type, text: `${name}: ${toProblemText(problem, nextAttemptAt)}` };
    }),
    ...disputes.slice(0, SHOWN_MAX).map(({ type, name, reason }) => {
      return { title: type, text: `${name}: ${reason}` };
    }),
  ];
}

/** `explain`: tells why each field of a user or group is as it is, from the running bridge. */
export const addExplainCommand: AddCommand = (program, context) => {
  const about = 'tell why each field of a person or group is as it is';
  const command = addCommand(program, 'explain', about)
    .usage('[user|group] <id or name> [options]')
    .argument(
      '<words...>',
      'user or group, where the name alone is not enough; a SCIM id or a name',
    );
  addShowOptions(command)
    .addHelpText('after', EXPLAIN_HELP)
    .action(async ([first = '', second, ...more]: string[], options: ShowOptions) => {
      const isTyped = first === 'user' || first === 'group';
      if (second !== undefined && (!isTyped || more.length > 0)) {
        command.error('Say user or group and one name; put a name with spaces in quotes.');
      }
      const path =
        second === undefined
          ? (`/explain/${encodeURIComponent(first)}` as const)
          : (`/${first}s/${encodeURIComponent(second)}/explain` as const);
      await show<OpsJson<'Explanation'>>(context, {
        options,
        read: async (client) => await readAnswer(client, 'Explanation', path),
        toText: (explanation) => toExplanationText(explanation, context),
      });
    });
};

const EXPLAIN_HELP = `
The name is a userName, an address or a displayName; case does not matter. The states are those of docs/drift.md.

  scim-bridge explain user ada@example.com
  scim-bridge explain group 'Board of directors'`;

function toExplanationText(explanation: OpsJson<'Explanation'>, output: Output): string {
  const { fields, admins, groups, more } = explanation;
  const toLinks = (title: string, links: readonly OpsJson<'Member'>[] | undefined) => {
    if (links === undefined) return '';
    if (links.length === 0) return `\n${title}: none\n`;
    return `\n${title}:\n${toTable(links, toLinkColumns('user'), output)}${more > 0 ? `and ${more} more\n` : ''}`;
  };
  return [
    toHead(explanation),
    toDetails(details.listResourceFacts(explanation), output),
    `\n${toTable(fields, FIELDS, output)}`,
    toLinks('Admins', admins),
    toLinks('Groups', groups),
  ].join('');
}

type Named = Pick<OpsJson<'Timeline'>, 'type' | 'name' | 'deleted'>;

function toHead({ type, name, deleted }: Named): string {
  return `${type} ${toPlain(name)}${deleted ? ' (deleted)' : ''}\n`;
}

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, context) => {
  const about = 'tell what led to the state of a person or group, in one line of time';
  const command = addCommand(program, 'why', about)
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', parseCount, 100);
  addShowOptions(command)
    .addHelpText('after', WHY_HELP)
    .action(async (name: string, options: ShowOptions & { readonly limit: number }) => {
      const path = `/timeline/${encodeURIComponent(name)}?limit=${options.limit}` as const;
      await show<OpsJson<'Timeline'>>(context, {
        options,
        read: async (client) => await readAnswer(client, 'Timeline', path),
        toText: toTimelineText,
      });
    });
};

const WHY_HELP = `
  provider   what was written through SCIM, and how it was answered
  bridge     what the bridge changed in the service, and what is stuck
  audit log  what the service's audit log says, and who did it
  seen       when the service was looked at
  drift      what differed, and how that ended

How each field stands now, and why: scim-bridge explain.`;

function toTimelineText(timeline: OpsJson<'Timeline'>): string {
  const { id, managed, items, more } = timeline;
  const lines = items.map(({ at, source, text, others }) => {
    const names = others.map((other) => other.name ?? other.id).join(', ');
    const title = source === 'audit' ? 'audit log' : source;
    const of = names === '' ? '' : ` [${names}]`;
    return `${at}  ${title.padEnd(9)}  ${toPlain(`${text}${of}`)}\n`;
  });
  return [
    toHead(timeline),
    `id ${id}, ${managed === 'no' ? 'only observed' : `managed, ${managed}`}\n\n`,
    more ? 'earlier: ask for more with --limit\n' : '',
    ...lines,
  ].join('');
}

/** `plan show`: shows what the bridge would do. */
export const addPlanShow: AddCommand = (program, context) => {
  const about = 'show a plan by its id, the one that waits, or the plan of the first day';
  const command = addCommand(program, 'plan show [id]', about).option(
    '--first-run',
    'what is accepted while observing, or held since: who matches whom',
  );
  addShowOptions(command)
    .addHelpText('after', PLAN_HELP)
    .action((id: string | undefined, options: ShowOptions & { readonly firstRun?: true }) => {
      if (!options.firstRun) return showPlan(context, id, options);
      if (id !== undefined) command.error('error: --first-run has no id');
      return showFirstRun(context, options);
    });
};

const PLAN_HELP = `
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
    return `No plan waits; the service is read for the first time: ${details.toReadingText(firstRead)}.\n`;
  const making = await listPlans(client, 'making');
  const { reading } = await readAnswer(client, 'Recovery', '/recovery');
  const progress = reading === null ? '' : `: ${details.toReadingText(reading)}`;
  if (making.length > 0)
    return `A plan is being made; the whole service is read first${progress}.\n`;
  return 'No plan waits.\n';
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
  const { phase, reading, counts, kinds, seats, items } = view;
  const sums = Object.entries({ ...counts, ...kinds });
  return [
    `${PHASES[phase]}\n`,
    reading === null ? '' : `It is ${details.toReadingText(reading)}.\n`,
    toSeats(seats),
    ...sums.map(([name, count]) => `  ${name.padEnd(18)} ${count}\n`),
    items.length === 0 ? '' : `\n${toTable(items, FIRST_RUN.columns, output)}`,
  ].join('');
}

function toSeats(seats: OpsJson<'PlanSeats'> | null): string {
  const text = details.toSeatText(seats);
  return text === '' ? '' : `Seats: ${text}.\n`;
}

/** Prints a plan: its counts, its first actions, and the decisions that are possible. */
export function toPlanText(plan: OpsJson<'Plan'>, output: Output): string {
  const { id, hash, status, source, counts, summary, actions } = plan;
  const unknown = details.isOwnPlan(plan) ? '' : 'not known by whom';
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
