import { Option } from 'commander';
import { BY_OPERATOR } from '../domain/text.ts';
import type { LeaverAnswer } from '../ops/schemas/leavers.ts';
import { LEAVER_STATUSES } from '../store/users/leavers.ts';
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
import { toMoment, toProblemText } from './lists.ts';
import { type Cell, type Column, toDim } from './table.ts';

interface Options extends ListOptions {
  readonly since?: string;
  readonly status?: string;
  readonly csv?: true;
}

/** `leavers`: lists who lost access, and what proves it. */
export const addLeaversCommand: AddCommand = (program, context) => {
  const command = program
    .command('leavers')
    .description('list who lost access, and what proves it (asks the running bridge)')
    .option('--since <moment>', 'accepted since then: a date, or a moment')
    .addOption(new Option('--status <status>', 'in this state alone').choices(LEAVER_STATUSES))
    .option('--csv', 'as CSV, every step with its time');
  addListOptions(command).addHelpText('after', LIST_HELP);
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

function toText(page: Page<LeaverAnswer>, status: string | undefined, context: CliContext): string {
  const { items, nextCursor } = page;
  if (items.length === 0) {
    return `${toNone('Nobody lost access in that time', [status], 'with')}\n`;
  }
  return toFirstOf(items, { columns: COLUMNS, context, hasMore: nextCursor !== null });
}

const COLUMNS: readonly Column<LeaverAnswer>[] = [
  { head: 'who', cell: toPerson },
  { head: 'status', cell: toStatus },
  { head: 'accepted', cell: ({ acceptedAt }) => toMoment(acceptedAt) },
  { head: 'sent', cell: ({ sent }) => (sent === null ? '' : toMoment(sent.at)) },
  { head: 'seen', cell: ({ seenAt }) => (seenAt === null ? '' : toMoment(seenAt)) },
  { head: 'audit log', cell: toLogText },
  { head: 'remains', cell: toRemainsText },
  { head: 'by', rank: 'minor', cell: ({ asked }) => asked?.credential ?? '' },
  { head: 'request', rank: 'minor', cell: ({ asked }) => toDim(asked?.requestId ?? '') },
];

const CSV: readonly Column<LeaverAnswer>[] = [
  { head: 'id', cell: ({ person }) => person.id },
  { head: 'name', cell: ({ person }) => person.name ?? '' },
  { head: 'status', cell: ({ status }) => status },
  { head: 'credential', cell: ({ asked }) => asked?.credential ?? '' },
  { head: 'request', cell: ({ asked }) => asked?.requestId ?? '' },
  { head: 'asked', cell: ({ asked }) => asked?.at ?? '' },
  { head: 'accepted', cell: ({ acceptedAt }) => acceptedAt },
  { head: 'sent', cell: ({ sent }) => sent?.at ?? '' },
  { head: 'call', cell: ({ sent }) => sent?.operation ?? '' },
  { head: 'outcome', cell: ({ sent }) => sent?.outcome ?? '' },
  { head: 'seen', cell: ({ seenAt }) => seenAt ?? '' },
  { head: 'audit log', cell: ({ logged }) => logged.state },
  { head: 'logged', cell: ({ logged }) => logged.at ?? '' },
  { head: 'event', cell: ({ logged }) => logged.eventId ?? '' },
  { head: 'by the bridge', cell: ({ logged }) => `${logged.ours ?? ''}` },
  { head: 'took ms', cell: ({ tookMs }) => `${tookMs ?? ''}` },
  { head: 'remains', cell: toRemainsText },
  { head: 'plan', cell: ({ planId }) => planId ?? '' },
  { head: 'problem', cell: ({ problem }) => problem?.words ?? '' },
];

function toPerson({ person }: LeaverAnswer): string {
  return person.name ?? person.id;
}

function toStatus({ status, problem, nextAttemptAt, planId }: LeaverAnswer): Cell {
  if (status === 'out') return { text: status, colour: 'green' };
  if (status === 'back') return { text: status, colour: 'dim' };
  const why = planId === null ? toProblemText(problem, nextAttemptAt) : `plan ${planId}`;
  return { text: why === '' ? status : `${status}: ${why}`, colour: 'yellow' };
}

function toLogText({ logged }: LeaverAnswer): string {
  const { state, at, ours, who, code } = logged;
  const others = who?.operator ? BY_OPERATOR : 'others';
  if (at !== null) return `${toMoment(at)}${ours === false ? `, by ${others}` : ''}`;
  return code === null ? state : `${state} (${code})`;
}

function toRemainsText({ remains }: LeaverAnswer): string {
  const groups = remains?.groups.map(({ id, name }) => name ?? id) ?? [];
  return [...(remains?.owner ? ['role of an owner'] : []), ...groups].join(', ');
}
