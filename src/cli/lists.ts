import { Option } from 'commander';
import { DRIFT_STATUSES, MANAGED_KINDS, UNMANAGED_KINDS } from '../domain/drift.ts';
import { NO_SEAT } from '../domain/seats.ts';
import type { ActView } from '../ops/schemas/acts.ts';
import type { DriftAnswer, UnmanagedAnswer } from '../ops/schemas/drift.ts';
import type { RequestView } from '../ops/schemas/requests.ts';
import type { AddCommand } from './context.ts';
import { addDriftDecisions, type DriftDecision } from './decide-drifts.ts';
import { listCommand, toNone } from './listing.ts';
import { type Cell, type Column, toDim } from './table.ts';

/** Help of `--of`. */
const OF_ONE = 'of one user or group: a userName, an address, a displayName or a SCIM id';

/** Status of drifts that are listed when no other is asked for. */
const UNDECIDED = 'undecided';

/** Command that lists drifts and decides about them. */
interface DriftCommand {
  readonly name: 'drifts' | 'unmanaged';
  readonly description: string;
  readonly kinds: readonly string[];
  readonly decisions: readonly DriftDecision[];
  /** Words for an empty list. */
  readonly none: string;
}

/** Filters of drifts. */
interface DriftFilters {
  readonly status: string;
  readonly kind?: string;
  readonly of?: string;
  readonly search?: string;
  readonly oldest?: true;
}

/** `drifts`: lists differences between the service and what is desired. */
export const addDriftsCommand: AddCommand = driftCommand({
  name: 'drifts',
  description: 'list what others changed of managed people and groups, and decide about it',
  kinds: MANAGED_KINDS,
  decisions: ['repair', 'accept', 'ignore'],
  none: 'Nothing differs',
});

/** `unmanaged`: lists accounts and groups that no provider asked for. */
export const addUnmanagedCommand: AddCommand = driftCommand({
  name: 'unmanaged',
  description: 'list accounts and groups that no provider asked for, and take them over',
  kinds: UNMANAGED_KINDS,
  decisions: ['adopt', 'ignore'],
  none: 'Nothing is unmanaged',
});

function driftCommand({ name, description, kinds, decisions, none }: DriftCommand): AddCommand {
  return listCommand<DriftAnswer & Partial<UnmanagedAnswer>, DriftFilters>({
    ...{ name, description },
    addDecisions: (command, context) => addDriftDecisions(command, context, decisions),
    addOptions: (command) =>
      command
        .addOption(
          new Option(
            '--status <status>',
            'undecided; active: all that are not over; or one of these',
          )
            .choices([UNDECIDED, 'active', ...DRIFT_STATUSES])
            .default(UNDECIDED),
        )
        .addOption(new Option('--kind <kind>', 'of this kind alone').choices(kinds))
        .option('--of <name>', OF_ONE)
        .option('--search <text>', 'of whose name holds this text')
        .option('--oldest', 'the oldest first instead of the newest'),
    toListing: ({ status, kind, of, search, oldest }) => ({
      path: `/${name}`,
      query: { status, kind, q: search, order: oldest && 'oldest' },
      subject: { filter: 'resource', name: of },
      none: toNone(
        none,
        [status === UNDECIDED ? undefined : status, kind, of, search],
        'that fits',
      ),
      columns: DRIFT_COLUMNS,
    }),
  });
}

/** Columns of drifts. */
export const DRIFT_COLUMNS: readonly Column<DriftAnswer & Partial<UnmanagedAnswer>>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'kind', cell: ({ kind }) => kind },
  { head: 'of', cell: toSubject },
  { head: 'wanted', cell: ({ desired }) => toWords(desired) },
  { head: 'found', cell: ({ observed }) => toWords(observed) },
  { head: 'status', cell: ({ status }) => toDriftStatus(status) },
  { head: 'since', cell: ({ firstSeen }) => toMoment(firstSeen) },
  { head: 'by', rank: 'minor', cell: ({ who }) => who?.username ?? '' },
  { head: 'note', cell: ({ privileged, note }) => privileged ?? toNote(note) },
];

/** `requests`: lists what providers wrote and what they were refused. */
export const addRequestsCommand: AddCommand = listCommand<
  RequestView,
  { status?: string; of?: string; type?: string; credential?: string }
>({
  name: 'requests',
  description: 'list what providers wrote and what they were refused, the newest first',
  addOptions: (command) =>
    command
      .option('--status <status>', 'answered with this: 409, or 4xx')
      .option('--of <name>', OF_ONE)
      .addOption(new Option('--type <type>', 'for users, or for groups').choices(['user', 'group']))
      .option('--credential <id>', 'with the credential that has this id'),
  toListing: ({ status, of, type, credential }) => ({
    path: '/requests',
    query: { status, type, credential },
    subject: { filter: 'resource', name: of },
    none: toNone('No provider has written anything that is kept', [status, of, type, credential]),
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
      { head: 'request', rank: 'minor', cell: ({ requestId }) => toDim(requestId) },
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
      { head: 'with', rank: 'minor', cell: ({ credential }) => credential ?? '' },
      { head: 'from', rank: 'minor', cell: ({ address }) => address ?? '' },
      { head: 'did', cell: ({ act }) => act },
      { head: 'on', cell: ({ target }) => target ?? '' },
      { head: 'outcome', cell: ({ outcome: word }) => toOutcome(word) },
      { head: 'before', rank: 'minor', cell: ({ before }) => toWords(before) },
      { head: 'after', cell: ({ after }) => toWords(after) },
      { head: 'request', rank: 'minor', cell: ({ requestId }) => toDim(requestId ?? '') },
    ],
  }),
});

/** The name of the user or group that differs, with the member that it is about. */
export function toSubject({ resource, member }: Pick<DriftAnswer, 'resource' | 'member'>): string {
  const name = resource.name ?? resource.id;
  return member === null ? name : `${member.name ?? member.id} in ${name}`;
}

/** A value of JSON as words. */
function toWords(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** The reason why a drift is not repaired; of an ignored one with its term and who says so. */
function toNote(note: DriftAnswer['note']): string {
  if (note === null) return '';
  const by = note.by === null ? '' : `, says ${note.by}`;
  const until = note.until === null ? '' : ` until ${toMoment(note.until)}`;
  return `${note.text}${by}${until}`;
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

/** Why something does not come through, and when it is tried next. Who waits for a seat has a turn, and no time. */
export function toProblemText(
  problem: { readonly code: string; readonly words: string } | null,
  nextAt: string | null,
): string {
  if (problem === null) return '';
  const hasTime = nextAt !== null && problem.code !== NO_SEAT;
  return `${problem.words}${hasTime ? `; next attempt ${toMoment(nextAt)}` : ''}`;
}

/** A moment to the second. */
export function toMoment(at: string): string {
  return at.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
