import { type Command, Option } from 'commander';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../domain/drift.ts';
import type { ActView } from '../ops/schemas/acts.ts';
import type { DriftAnswer } from '../ops/schemas/drift.ts';
import type { RequestView } from '../ops/schemas/requests.ts';
import type { GroupItem, UserItem } from '../ops/schemas/resources.ts';
import type { AddCommand, CliContext } from './context.ts';
import { addDriftDecisions } from './decide-drifts.ts';
import {
  addListOptions,
  LIST_HELP,
  type Listing,
  type ListOptions,
  showList,
  toNone,
} from './listing.ts';
import type { Cell, Column } from './table.ts';

/** Command that shows a list of the running bridge. */
interface ListCommand<Item, Filters> {
  readonly name: string;
  readonly description: string;
  readonly addOptions: (command: Command) => Command;
  readonly toListing: (filters: Filters) => Listing<Item>;
  /** Adds the commands that act on what is listed. */
  readonly addDecisions?: (command: Command, context: CliContext) => void;
}

function listCommand<Item, Filters>(parts: ListCommand<Item, Filters>): AddCommand {
  const { name, description, addOptions, toListing, addDecisions } = parts;
  return (program, context) => {
    const command = program.command(name).description(`${description} (asks the running bridge)`);
    addListOptions(addOptions(command)).addHelpText('after', LIST_HELP);
    command.action((options: ListOptions & Filters) =>
      showList(command, context, { ...toListing(options), options }),
    );
    addDecisions?.(command, context);
  };
}

/** Help of `--of`. */
const OF_ONE = 'of one user or group: a userName, an address, a displayName or a SCIM id';

/** Status of drifts that are listed when no other is asked for. */
const ACTIVE = 'active';

/** `drifts`: lists differences between the service and what is desired. */
export const addDriftsCommand: AddCommand = listCommand<
  DriftAnswer,
  { status: string; kind?: string; of?: string }
>({
  name: 'drifts',
  description: 'list what differs in the service, and decide about it',
  addDecisions: addDriftDecisions,
  addOptions: (command) =>
    command
      .addOption(
        new Option('--status <status>', 'active: all that are not over; undecided; or one of these')
          .choices([ACTIVE, 'undecided', ...DRIFT_STATUSES])
          .default(ACTIVE),
      )
      .addOption(new Option('--kind <kind>', 'of this kind alone').choices(DRIFT_KINDS))
      .option('--of <name>', OF_ONE),
  toListing: ({ status, kind, of }) => ({
    path: '/drifts',
    query: { status, kind },
    subject: { filter: 'resource', name: of },
    none: toNone(
      'Nothing differs',
      [status === ACTIVE ? undefined : status, kind, of],
      'that fits',
    ),
    columns: [
      { head: 'id', rank: 'whole', cell: ({ id }) => ({ text: id, colour: 'dim' }) },
      { head: 'kind', cell: ({ kind: one }) => one },
      { head: 'of', cell: toSubject },
      { head: 'wanted', cell: ({ desired }) => toWords(desired) },
      { head: 'found', cell: ({ observed }) => toWords(observed) },
      { head: 'status', cell: ({ status: one }) => toDriftStatus(one) },
      { head: 'since', cell: ({ firstSeen }) => toMoment(firstSeen) },
      { head: 'by', rank: 'minor', cell: ({ who }) => who?.username ?? '' },
    ],
  }),
});

/** `requests`: lists what providers wrote and what they were refused. */
export const addRequestsCommand: AddCommand = listCommand<
  RequestView,
  { status?: string; of?: string; credential?: string }
>({
  name: 'requests',
  description: 'list what providers wrote and what they were refused, the newest first',
  addOptions: (command) =>
    command
      .option('--status <status>', 'answered with this: 409, or 4xx')
      .option('--of <name>', OF_ONE)
      .option('--credential <id>', 'with the credential that has this id'),
  toListing: ({ status, of, credential }) => ({
    path: '/requests',
    query: { status, credential },
    subject: { filter: 'resource', name: of },
    none: toNone('No provider has written anything that is kept', [status, of, credential]),
    columns: [
      { head: 'at', cell: ({ at }) => toMoment(at) },
      { head: 'method', cell: ({ method }) => method },
      { head: 'route', cell: ({ route }) => route },
      { head: 'for', cell: ({ resource }) => resource?.id ?? '' },
      { head: 'written', cell: ({ written }) => written.map(toWritten).join(', ') },
      { head: 'status', cell: ({ status: one }) => toStatus(one) },
      { head: 'refused because', cell: ({ refusal }) => refusal ?? '' },
      { head: 'ms', rank: 'minor', cell: ({ durationMs }) => `${Math.round(durationMs)}` },
      { head: 'credential', rank: 'minor', cell: ({ credential }) => credential },
      {
        head: 'request',
        rank: 'minor',
        cell: ({ requestId }) => ({ text: requestId, colour: 'dim' }),
      },
    ],
  }),
});

/** `acts`: lists what operators did. */
export const addActsCommand: AddCommand = listCommand<
  ActView,
  { operator?: string; of?: string; outcome?: string }
>({
  name: 'acts',
  description: 'list what operators did: who, from where, on whom, with what outcome',
  addOptions: (command) =>
    command
      .option('--operator <name>', 'with the credential that has this name or id')
      .option(
        '--of <name>',
        `${OF_ONE}; or the id of a drift, plan, token or client, or a provider`,
      )
      .addOption(
        new Option('--outcome <outcome>', 'that ended like this').choices([
          'done',
          'refused',
          'failed',
        ]),
      ),
  toListing: ({ operator, of, outcome }) => ({
    path: '/acts',
    query: { operator, outcome },
    subject: { filter: 'target', name: of, isAny: true },
    none: toNone('No operator has done anything that is kept', [operator, of, outcome]),
    columns: [
      { head: 'at', cell: ({ at }) => toMoment(at) },
      { head: 'operator', cell: ({ operator: name }) => name },
      { head: 'from', rank: 'minor', cell: ({ address }) => address ?? '' },
      { head: 'did', cell: ({ act }) => act },
      { head: 'on', cell: ({ target }) => target ?? '' },
      { head: 'outcome', cell: ({ outcome: word }) => toOutcome(word) },
      { head: 'before', rank: 'minor', cell: ({ before }) => toWords(before) },
      { head: 'after', cell: ({ after }) => toWords(after) },
      {
        head: 'request',
        rank: 'minor',
        cell: ({ requestId }) => ({ text: requestId ?? '', colour: 'dim' }),
      },
    ],
  }),
});

/** Filters of people and groups. */
interface ResourceFilters {
  readonly managed?: true;
  readonly unmanaged?: true;
  readonly due?: true;
  readonly stuck?: true;
  readonly disputed?: true;
  readonly drifted?: true;
  readonly deleted?: true;
  readonly search?: string;
}

function addResourceOptions(command: Command): Command {
  return command
    .option('--search <text>', 'whose name holds this text')
    .option('--managed', 'that the bridge may write')
    .option('--unmanaged', 'that the bridge only observes')
    .option('--due', 'of which something is to be done')
    .option('--stuck', 'of which the service refuses something')
    .option('--disputed', 'with a name that only an operator can place')
    .option('--drifted', 'that differ in the service')
    .option('--deleted', 'that were deleted');
}

function toResourceQuery(filters: ResourceFilters): Readonly<Record<string, string | undefined>> {
  const { managed, unmanaged, search, due, stuck, disputed, drifted, deleted } = filters;
  const flags = Object.entries({ due, stuck, disputed, drifted, deleted });
  return {
    q: search,
    managed: managed ? 'true' : unmanaged && 'false',
    ...Object.fromEntries(flags.map(([name, isSet]) => [name, isSet && 'true'])),
  };
}

/** `users`: lists people. */
export const addUsersCommand: AddCommand = listCommand<UserItem, ResourceFilters>({
  name: 'users',
  description: 'list people: what is wanted, what is seen, what waits',
  addOptions: addResourceOptions,
  toListing: (filters) => ({
    path: '/users',
    query: toResourceQuery(filters),
    none: 'There is nobody like that.',
    columns: [
      ...toResourceColumns<UserItem>(),
      { head: 'account', rank: 'minor', cell: ({ upstreamId }) => `${upstreamId ?? ''}` },
      {
        head: 'active',
        cell: ({ active }) => toActive(active),
      },
      ...toWorkColumns<UserItem>(),
    ],
  }),
});

/** `groups`: lists groups. */
export const addGroupsCommand: AddCommand = listCommand<GroupItem, ResourceFilters>({
  name: 'groups',
  description: 'list groups: what is managed, what is seen, what waits',
  addOptions: addResourceOptions,
  toListing: (filters) => ({
    path: '/groups',
    query: toResourceQuery(filters),
    none: 'There is no group like that.',
    columns: [
      ...toResourceColumns<GroupItem>(),
      { head: 'scim id', rank: 'minor', cell: ({ upstreamIds }) => upstreamIds.scimId ?? '' },
      { head: 'rest id', rank: 'minor', cell: ({ upstreamIds }) => `${upstreamIds.restId ?? ''}` },
      ...toWorkColumns<GroupItem>(),
    ],
  }),
});

function toResourceColumns<Item extends UserItem | GroupItem>(): Column<Item>[] {
  return [
    { head: 'id', rank: 'minor', cell: ({ id }) => ({ text: id, colour: 'dim' }) },
    { head: 'name', cell: ({ name }) => name },
    {
      head: 'managed',
      cell: ({ origin, deleted }) => (deleted ? 'deleted' : (origin ?? 'observed')),
    },
  ];
}

function toWorkColumns<Item extends UserItem | GroupItem>(): Column<Item>[] {
  return [
    { head: 'waits', cell: ({ pending }) => ({ text: pending.join(', '), colour: 'yellow' }) },
    { head: 'drifts', cell: ({ drifts }) => (drifts === 0 ? '' : `${drifts}`) },
    { head: 'problem', cell: ({ problem }) => ({ text: problem?.words ?? '', colour: 'red' }) },
  ];
}

/** The name of the user or group that differs, with the member that it is about. */
function toSubject({ resource, member }: Pick<DriftAnswer, 'resource' | 'member'>): string {
  const name = resource.name ?? resource.id;
  return member === null ? name : `${member.name ?? member.id} in ${name}`;
}

/** A value of JSON as words. */
function toWords(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function toDriftStatus(status: DriftAnswer['status']): Cell {
  const isBad = status === 'contested';
  return { text: status, colour: isBad ? 'red' : status === 'open' ? 'yellow' : 'dim' };
}

function toStatus(status: number): Cell {
  return { text: `${status}`, colour: status < 400 ? 'green' : status < 500 ? 'yellow' : 'red' };
}

function toOutcome(outcome: ActView['outcome']): Cell {
  return {
    text: outcome,
    colour: outcome === 'done' ? 'green' : outcome === 'refused' ? 'yellow' : 'red',
  };
}

function toWritten({ op, path, values, words }: RequestView['written'][number]): string {
  if (words !== null) return `${op}: ${words} (${values})`;
  return `${op} ${path} (${values})`;
}

/** Says whether somebody is active, and what the service was seen to hold where that is something else. */
function toActive({ desired, observed }: UserItem['active']): string {
  const [wanted, seen] = [desired, observed].map((is) => (is ? 'yes' : 'no'));
  if (desired === null) return observed === null ? '?' : `${seen}`;
  if (observed === desired) return `${wanted}`;
  return `${wanted}, seen ${observed === null ? 'not yet' : seen}`;
}

/** A moment to the second. */
export function toMoment(at: string): string {
  return at.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
