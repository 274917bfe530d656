import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { NO_SEAT } from '../domain/seats.ts';
import { listChoices } from '../ops/lists/access.ts';
import type { Column } from '../ops/lists/list.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand } from './context.ts';
import { readAnswer } from './json.ts';
import { addShowOptions, type ListOptions, parseCount, type ShowOptions, show } from './listing.ts';
import { type Output, toMoments, toPlain, toTable } from './table.ts';

const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['user', 'users'],
  ['group', 'groups'],
]);

/** `explain`: tells why each field of a user or group is as it is, from the running bridge. */
export const addExplainCommand: AddCommand = (program, context) => {
  const command = addCommand(
    program,
    'explain',
    'tell why each field of a person or group is as it is',
  )
    .usage('[user|group] <id or name> [options]')
    .argument(
      '<words...>',
      'user or group, where the name alone is not enough; a SCIM id or a name',
    );
  addShowOptions(command)
    .addHelpText('after', EXPLAIN_HELP)
    .action(async ([first = '', second, ...more]: string[], options: ShowOptions) => {
      const folder = FOLDERS.get(first);
      if (second !== undefined && (folder === undefined || more.length > 0)) {
        command.error('Say user or group and one name; put a name with spaces in quotes.');
      }
      const path =
        second === undefined
          ? (`/explain/${encodeURIComponent(first)}` as const)
          : (`/${folder}/${encodeURIComponent(second)}/explain` as const);
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

/** An explanation as an operator reads it in a terminal. */
function toExplanationText(explanation: OpsJson<'Explanation'>, output: Output): string {
  const { fields, members, admins, groups, more } = explanation;
  const notes = fields.flatMap(({ field, note }) => (note ? `${field}: ${toPlain(note)}` : []));
  const blocks = [
    listHeadLines(explanation),
    [toTable(fields, FIELD_COLUMNS, output).trimEnd(), ...notes],
    ...(members ? [[toMembersLine(members)]] : []),
    ...(admins ? [listLinkLines('Admins', admins, { more, output })] : []),
    ...(groups ? [listLinkLines('Groups', groups, { more, output })] : []),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function toMembersLine(members: NonNullable<OpsJson<'Explanation'>['members']>): string {
  const { desired, observed, pending, stuck, differing } = members;
  const waiting = stuck === 0 ? `${pending} waiting` : `${pending} waiting (${stuck} stuck)`;
  return `Members: ${desired} wanted, ${observed} seen, ${waiting}, ${differing} different`;
}

function listHeadLines(explanation: OpsJson<'Explanation'>): string[] {
  const { type, name, id, upstream, managed, provider, deleted, version, seen } = explanation;
  const { dueAt, problem, handling } = explanation;
  const by = provider === DEFAULT_PROVIDER ? '' : `, by the provider ${provider}`;
  return [
    `${type} ${name}${deleted ? ' (deleted)' : ''}`,
    `id ${id}, version ${version}, ${upstream === null ? 'not known to the service' : `in the service ${upstream}`}`,
    managed === 'no' ? 'not managed: only observed' : `managed, ${managed}${by}`,
    ...(handling === null ? [] : listChoices(handling)),
    seen === null ? 'never seen in the service' : `last seen ${seen.at} by ${seen.by}`,
    ...(dueAt === null ? [] : [toDueLine(dueAt, problem)]),
    ...(problem === null ? [] : [`last problem: ${problem.words} (${problem.code})`]),
  ];
}

/** Tells no moment of somebody who waits for a seat: the next attempt comes when one may be free. */
function toDueLine(dueAt: string, problem: OpsJson<'Explanation'>['problem']): string {
  if (problem?.code === NO_SEAT) return 'waits for a free seat';
  return toMoments(`${problem === null ? 'due' : 'next attempt'} ${dueAt}`);
}

const STATE_COLUMNS: readonly Column<OpsJson<'Field'> | OpsJson<'Member'>>[] = [
  { name: 'wanted', value: ({ desired }) => toShown(desired) },
  { name: 'in the service', value: ({ observed }) => toShown(observed) },
  { name: 'state', place: 'whole', value: ({ standing }) => standing },
  { name: 'from', value: ({ from }) => from ?? '-' },
];
const FIELD_COLUMNS: readonly Column<OpsJson<'Field'>>[] = [
  { name: 'field', place: 'whole', value: ({ field }) => field },
  ...STATE_COLUMNS,
];
const LINK_COLUMNS: readonly Column<OpsJson<'Member'>>[] = [
  { name: 'name', value: ({ name }) => name },
  ...STATE_COLUMNS,
];

function listLinkLines(
  title: string,
  links: readonly OpsJson<'Member'>[],
  { more, output }: { readonly more: number; readonly output: Output },
): string[] {
  if (links.length === 0) return [`${title}: none`];
  const rest = more > 0 ? [`and ${more} more`] : [];
  return [`${title}:`, toTable(links, LINK_COLUMNS, output).trimEnd(), ...rest];
}

function toShown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `why`: tells what led to the state of a user or group, from the running bridge. */
export const addWhyCommand: AddCommand = (program, context) => {
  const about = 'tell what led to the state of a person or group, in one line of time';
  const command = addCommand(program, 'why', about)
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--limit <number>', 'how many entries, the newest', parseCount, 100);
  addShowOptions(command)
    .addHelpText('after', WHY_HELP)
    .action(async (name: string, options: ListOptions) => {
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

function toTimelineText({
  type,
  name,
  id,
  managed,
  deleted,
  items,
  more,
}: OpsJson<'Timeline'>): string {
  const lines = items.map(({ at, source, text, others }) => {
    const names = others.map((other) => other.name ?? other.id).join(', ');
    const title = source === 'audit' ? 'audit log' : source;
    return `${at}  ${title.padEnd(9)}  ${text}${names === '' ? '' : ` [${names}]`}\n`;
  });
  return [
    `${type} ${name}${deleted ? ' (deleted)' : ''}\n`,
    `id ${id}, ${managed === 'no' ? 'only observed' : `managed, ${managed}`}\n\n`,
    more ? 'earlier: ask for more with --limit\n' : '',
    ...lines,
  ].join('');
}
