import { Option } from 'commander';
import { LEAVER_STATUSES } from '../domain/leaver.ts';
import { BY_OPERATOR } from '../domain/text.ts';
import type { LeaverAnswer } from '../ops/schemas/leavers.ts';
import type { AddCommand, CliContext } from './context.ts';
import { toCsv } from './csv.ts';
import {
  addListOptions,
  LIST_HELP,
  type ListOptions,
  type Page,
  readList,
  show,
  toFirstOf,
  toNone,
} from './listing.ts';
import { toMoment } from './lists.ts';
import { type Cell, type Column, toDim } from './table.ts';

interface Options extends ListOptions {
  readonly since?: string;
  readonly status?: string;
  readonly csv?: true;
}

/** `leavers`: lists removals of access with their proofs. */
export const addLeaversCommand: AddCommand = (program, context) => {
  const command = program
    .command('leavers')
    .description('list who lost access, and what proves it (asks the running bridge)')
    .option('--since <moment>', 'accepted since then: a date, or a moment')
    .addOption(new Option('--status <status>', 'in this state alone').choices(LEAVER_STATUSES))
    .option('--csv', 'as CSV, every step with its time');
  addListOptions(command).addHelpText('after', `${HELP}\n${LIST_HELP}`);
  command.action(async (options: Options) => {
    const { since, status, csv, limit } = options;
    if (csv && options.json) command.error('error: --csv or --json, not both');
    const reading = { path: '/leavers', query: { since, status }, limit, context } as const;
    await show(context, {
      options,
      read: (client) => readList<LeaverAnswer>(client, reading),
      toText: (page) => (csv ? toCsv(page.items, CSV) : toText(page, status, context)),
    });
  });
};

const HELP = `
"could not look" stands where nobody could look what remains, and never means that nothing does.`;

function toText(page: Page<LeaverAnswer>, status: string | undefined, context: CliContext): string {
  const { items, nextCursor } = page;
  if (items.length === 0) {
    return `${toNone('Nobody lost access in that time', [status], 'with')}\n`;
  }
  return toFirstOf(items, { columns: COLUMNS, context, hasMore: nextCursor !== null });
}

const COLUMNS: readonly Column<LeaverAnswer>[] = [
  { head: 'who', cell: toPerson },
  { head: 'lost', cell: ({ kind }) => kind },
  { head: 'status', cell: toStatus },
  { head: 'asked', cell: ({ asked }) => toMoment(asked.at) },
  { head: 'sent', cell: ({ sent }) => (sent === null ? '' : toMoment(sent.at)) },
  { head: 'seen', cell: ({ seen }) => (seen === null ? '' : toMoment(seen.at)) },
  { head: 'audit log', cell: toLogText },
  { head: 'remains', cell: toRemainsText },
  { head: 'by', rank: 'minor', cell: ({ asked }) => asked.credential },
  { head: 'request', rank: 'minor', cell: ({ asked }) => toDim(asked.requestId) },
];

const CSV: readonly Column<LeaverAnswer>[] = [
  { head: 'id', cell: ({ person }) => person.id },
  { head: 'name', cell: ({ person }) => person.name ?? '' },
  { head: 'lost', cell: ({ kind }) => kind },
  { head: 'status', cell: ({ status }) => status },
  { head: 'credential', cell: ({ asked }) => asked.credential },
  { head: 'request', cell: ({ asked }) => asked.requestId },
  { head: 'asked', cell: ({ asked }) => asked.at },
  { head: 'accepted', cell: ({ acceptedAt }) => acceptedAt },
  { head: 'sent', cell: ({ sent }) => sent?.at ?? '' },
  { head: 'call', cell: ({ sent }) => sent?.operation ?? '' },
  { head: 'outcome', cell: ({ sent }) => sent?.outcome ?? '' },
  { head: 'seen', cell: ({ seen }) => seen?.at ?? '' },
  { head: 'seen by', cell: ({ seen }) => seen?.by ?? '' },
  { head: 'audit log', cell: ({ logged }) => logged.state },
  { head: 'logged', cell: ({ logged }) => logged.at ?? '' },
  { head: 'event', cell: ({ logged }) => logged.eventId ?? '' },
  { head: 'by the bridge', cell: ({ logged }) => `${logged.ours ?? ''}` },
  { head: 'took ms', cell: ({ tookMs }) => `${tookMs ?? ''}` },
  { head: 'looked', cell: ({ remains }) => remains?.at ?? '' },
  { head: 'remains', cell: toRemainsText },
  { head: 'plan', cell: ({ planId }) => planId ?? '' },
  { head: 'problem', cell: ({ problem }) => problem?.words ?? '' },
];

function toPerson({ person }: LeaverAnswer): string {
  return person.name ?? person.id;
}

function toStatus({ status, problem, planId }: LeaverAnswer): Cell {
  if (status === 'out') return { text: status, colour: 'green' };
  if (status !== 'waits') return { text: status, colour: status === 'refused' ? 'red' : 'dim' };
  const why = planId === null ? problem?.words : `plan ${planId}`;
  return { text: why === undefined ? status : `${status}: ${why}`, colour: 'yellow' };
}

function toLogText({ logged }: LeaverAnswer): string {
  const { state, at, ours, who, code } = logged;
  const others = who?.operator ? BY_OPERATOR : 'others';
  if (at !== null) return `${toMoment(at)}${ours === false ? `, by ${others}` : ''}`;
  return code === null ? state : `${state} (${code})`;
}

/** Tells in words what remains, and what nobody could look at. */
function toRemainsText({ remains }: LeaverAnswer): string {
  if (remains === null) return '';
  const found = remains.parts.flatMap(({ part, found: some }) =>
    some.map(({ id, name }) => `${part}: ${name ?? id}`),
  );
  const blind = remains.parts.flatMap(({ part, looked }) => (looked ? [] : part));
  const rest = blind.length === 0 ? [] : [`could not look: ${blind.join(', ')}`];
  return [...(found.length === 0 ? ['nothing found'] : found), ...rest].join('; ');
}
