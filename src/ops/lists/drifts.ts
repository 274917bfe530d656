import { DRIFT_STATUSES, MANAGED_KINDS, UNMANAGED_KINDS } from '../../domain/drift.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { type Column, listOf, toPlanLink, toWords } from './list.ts';
import { toHeld, toKind, toText } from './words.ts';

const COMMON = {
  meanings: {
    status: '`active`: all that are not over; `undecided`: open or contested.',
    resource: 'Of the user or group with this SCIM id, also as a member.',
  },
} as const;

/** Filters of both lists. */
export const DRIFT_FILTERS = {
  status: ['active', 'undecided', ...DRIFT_STATUSES],
  order: ['newest', 'oldest'],
  resource: 'text',
  q: 'text',
} as const;

type Item = OpsJson<'Drift'>;

const TONES = { contested: 'bad', open: 'waiting', repairing: 'info', repaired: 'good' } as const;

const DRIFT_COLUMNS: readonly Column<Item>[] = [
  { name: 'id', kind: 'id', place: 'whole' },
  { name: 'kind', words: ({ kind }) => toKind(kind) },
  { name: 'of', value: toSubject, link: ({ resource }) => resource },
  {
    name: 'wanted',
    value: ({ desired }) => toWords(desired),
    words: ({ kind, desired }) => toText(toHeld(kind, desired)),
  },
  {
    name: 'found',
    value: ({ observed }) => toWords(observed),
    words: ({ kind, observed }) => toText(toHeld(kind, observed)),
  },
  { name: 'status', tones: TONES },
  { name: 'since', kind: 'ago', value: ({ firstSeen }) => firstSeen },
  { name: 'by', place: 'minor', value: toAuthor },
  { name: 'plan', place: 'minor', value: ({ planId }) => planId, link: toPlanLink },
  { name: 'note', isLong: true, value: ({ privileged, note }) => privileged ?? toNote(note) },
];

/** Differences between the service and what is desired. */
export const DRIFTS = listOf(
  'DriftList',
  DRIFT_COLUMNS,
)({
  ...COMMON,
  path: '/drifts',
  summary: 'List what others changed of managed people and groups, the newest first.',
  filters: { kind: MANAGED_KINDS, ...DRIFT_FILTERS },
  command: 'drifts',
  defaults: { status: 'undecided' },
});

/** Accounts and groups that no provider asked for. */
export const UNMANAGED = listOf(
  'DriftList',
  DRIFT_COLUMNS,
)({
  ...COMMON,
  path: '/unmanaged',
  summary: 'List accounts and groups that no provider asked for, the newest first.',
  filters: { kind: UNMANAGED_KINDS, ...DRIFT_FILTERS },
  command: 'unmanaged',
  defaults: { status: 'undecided' },
});

function toAuthor({ who }: Item): string {
  if (who === null) return '';
  return who.username ?? `account ${who.id ?? 'unknown'}`;
}

/** The name of the user or group that differs, with the member that it is about. */
export function toSubject(drift: Pick<OpsJson<'Drift'>, 'resource' | 'member'>): string {
  const { resource, member } = drift;
  const name = resource.name ?? resource.id;
  return member === null ? name : `${member.name ?? member.id} in ${name}`;
}

/** The reason why a drift is not repaired; of an ignored one with its term and who says so. */
function toNote(note: OpsJson<'Drift'>['note']): string {
  if (note === null) return '';
  const by = note.by === null ? '' : `, says ${note.by}`;
  const until = note.until === null ? '' : ` until ${note.until}`;
  return `${note.text}${by}${until}`;
}
