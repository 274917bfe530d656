import {
  DRIFT_STATUSES,
  type DriftKind,
  MANAGED_KINDS,
  UNMANAGED_KINDS,
} from '../../domain/drift.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { type Column, listOf, toPlanLink, toWords } from './list.ts';
import { toHeld, toKind, toText } from './words.ts';

const TONES = { contested: 'bad', open: 'waiting', repairing: 'info', repaired: 'good' } as const;

const DRIFT_COLUMNS: readonly Column<OpsJson<'Drift'>>[] = [
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
  {
    name: 'by',
    place: 'minor',
    value: ({ who }) => who && (who.username ?? `account ${who.id ?? 'unknown'}`),
  },
  { name: 'plan', place: 'minor', value: ({ planId }) => planId, link: toPlanLink },
  { name: 'note', isLong: true, value: ({ privileged, note }) => privileged ?? toNote(note) },
];

const driftList = (path: '/drifts' | '/unmanaged', kind: readonly DriftKind[], summary: string) =>
  listOf(
    'DriftList',
    DRIFT_COLUMNS,
  )({
    path,
    summary,
    filters: {
      kind,
      status: ['active', 'undecided', ...DRIFT_STATUSES],
      order: ['newest', 'oldest'],
      resource: 'text',
      q: 'text',
    },
    meanings: {
      status: '`active`: all that are not over; `undecided`: open or contested.',
      resource: 'Of the user or group with this SCIM id, also as a member.',
    },
    command: path.slice(1),
    defaults: { status: 'undecided' },
  });

/** Differences between the service and what is desired. */
export const DRIFTS = driftList(
  '/drifts',
  MANAGED_KINDS,
  'List what others changed of managed people and groups, the newest first.',
);

/** Accounts and groups that no provider asked for. */
export const UNMANAGED = driftList(
  '/unmanaged',
  UNMANAGED_KINDS,
  'List accounts and groups that no provider asked for, the newest first.',
);

/** The name of the user or group that differs, with the member that it is about. */
export function toSubject(drift: Pick<OpsJson<'Drift'>, 'resource' | 'member'>): string {
  const { resource, member } = drift;
  const name = resource.name ?? resource.id;
  return member === null ? name : `${member.name ?? member.id} in ${name}`;
}

function toNote(note: OpsJson<'Drift'>['note']): string {
  if (note === null) return '';
  const by = note.by === null ? '' : `, says ${note.by}`;
  const until = note.until === null ? '' : ` until ${note.until}`;
  return `${note.text}${by}${until}`;
}
