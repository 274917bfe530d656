import { DEFAULT_PROVIDER, type Handling } from '../domain/provider.ts';
import { NO_SEAT } from '../domain/seats.ts';
import type { ExplainedField, ExplainedLink, Explanation } from '../ops/schemas/resources.ts';
import { toMoment } from './lists.ts';
import { type Column, type Output, toPlain, toTable } from './table.ts';

/** An explanation as an operator reads it in a terminal. */
export function toExplanationText(explanation: Explanation, output: Output): string {
  const { fields, members, admins, groups, more } = explanation;
  const blocks = [
    toHeadLines(explanation),
    [toTable(fields, FIELD_COLUMNS, output).trimEnd(), ...fields.flatMap(toNote)],
    ...(members ? [[toMembersLine(members)]] : []),
    ...toLinkBlock('Admins', { links: admins, more, output }),
    ...toLinkBlock('Groups', { links: groups, more, output }),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function toMembersLine(members: NonNullable<Explanation['members']>): string {
  const { desired, observed, pending, stuck, differing } = members;
  const waiting = stuck === 0 ? `${pending} waiting` : `${pending} waiting (${stuck} stuck)`;
  return `Members: ${desired} wanted, ${observed} seen, ${waiting}, ${differing} different`;
}

function toNote({ field, note }: ExplainedField): string[] {
  return note ? [`${field}: ${toPlain(note)}`] : [];
}

function toHeadLines({
  type,
  name,
  id,
  upstream,
  managed,
  provider,
  ...rest
}: Explanation): string[] {
  const { deleted, version, seen, dueAt, problem, handling } = rest;
  return [
    `${type} ${name}${deleted ? ' (deleted)' : ''}`,
    `id ${id}, version ${version}, ${upstream === null ? 'not known to the service' : `in the service ${upstream}`}`,
    managed === 'no'
      ? 'not managed: only observed'
      : `managed, ${managed}${provider === DEFAULT_PROVIDER ? '' : `, by the provider ${provider}`}`,
    ...(handling === null ? [] : toChoices(handling)),
    seen === null ? 'never seen in the service' : `last seen ${seen.at} by ${seen.by}`,
    ...toDueLines(dueAt, problem),
    ...(problem === null ? [] : [`last problem: ${problem.words} (${problem.code})`]),
  ];
}

/** How requests of a provider are taken, in words. */
export function toChoices({ returning, unknownMembers, nestedGroups, match }: Handling): string[] {
  const choices = { returning, unknownMembers, nestedGroups, match: match.join(' ') };
  return Object.entries(choices).map((choice) => choice.join(': '));
}

/** Tells no moment of somebody who waits for a seat: the next attempt comes when one may be free. */
function toDueLines(dueAt: string | null, problem: Explanation['problem']): string[] {
  if (dueAt === null) return [];
  if (problem?.code === NO_SEAT) return ['waits for a free seat'];
  return [`${problem === null ? 'due' : 'next attempt'} ${toMoment(dueAt)}`];
}

const STATE_COLUMNS: readonly Column<ExplainedField | ExplainedLink>[] = [
  { head: 'wanted', cell: ({ desired }) => toShown(desired) },
  { head: 'in the service', cell: ({ observed }) => toShown(observed) },
  { head: 'state', rank: 'whole', cell: ({ standing }) => standing },
  { head: 'from', cell: ({ from }) => from ?? '-' },
];
const FIELD_COLUMNS: readonly Column<ExplainedField>[] = [
  { head: 'field', rank: 'whole', cell: ({ field }) => field },
  ...STATE_COLUMNS,
];
const LINK_COLUMNS: readonly Column<ExplainedLink>[] = [
  { head: 'name', cell: ({ name }) => name },
  ...STATE_COLUMNS,
];

interface LinkBlock {
  readonly links: readonly ExplainedLink[] | undefined;
  readonly more: number;
  readonly output: Output;
}

function toLinkBlock(title: string, { links, more, output }: LinkBlock): string[][] {
  if (links === undefined) return [];
  if (links.length === 0) return [[`${title}: none`]];
  const rest = more > 0 ? [`and ${more} more`] : [];
  return [[`${title}:`, toTable(links, LINK_COLUMNS, output).trimEnd(), ...rest]];
}

function toShown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
