import type { DriftKind } from '../../domain/change.ts';
import { DRIFT_STATUSES, MANAGED_KINDS, UNMANAGED_KINDS } from '../../domain/change.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { Column, Tone } from './list.ts';
import { listOf, toPlanLink, toProblemText, toWords } from './list.ts';
import { toChange, toCounts, toDecider, toHeld, toKind, toSource, toText } from './words.ts';

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
      resource:
        'Of this user or group, also as a member: a userName, an address, a displayName or a SCIM id.',
      status: '`active`: all that are not over; `undecided`: open or contested.',
    },
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

/** Tones of the statuses of a plan. */
export const PLAN_TONES: Readonly<Record<string, Tone>> = {
  held: 'waiting',
  approved: 'info',
  applied: 'good',
};

/** Plans, the newest first. */
export const PLANS = listOf('PlanList', [
  { name: 'id', kind: 'id', place: 'whole' },
  {
    name: 'changes',
    place: 'minor',
    value: ({ counts }) => toCounts(counts.kinds),
    link: ({ id }) => ({ type: 'plan', id }),
  },
  { name: 'made', kind: 'ago', place: 'minor', value: ({ createdAt }) => createdAt },
  { name: 'status', tones: PLAN_TONES },
  { name: 'actions', value: ({ counts }) => counts.total },
  { name: 'of', value: ({ source }) => toSource(source) },
  { name: 'why it waits', isLong: true, value: ({ reason }) => reason },
  { name: 'decided by', place: 'minor', value: toDecider },
])({
  path: '/plans',
  summary: 'List plans, the newest first.',
  // As the domain has them: its module of plans is not for browsers.
  filters: { status: ['held', 'approved', 'applied', 'discarded'] },
  command: 'plan list',
});

/** Columns of the actions of a plan. */
export const ACTIONS: readonly Column<OpsJson<'PlanAction'>>[] = [
  { name: 'kind', place: 'whole', words: ({ kind }) => toChange(kind) },
  { name: 'of', value: toSubject, link: ({ resource }) => resource },
  { name: 'reason', isLong: true },
  { name: 'harm', tone: () => 'bad' },
  { name: 'state', value: ({ status }) => status, tones: { released: 'info', done: 'good' } },
  { name: 'by', place: 'minor', value: ({ who }) => who && `${who.by} at ${who.at}` },
];

const OUTCOMES = { adopt: 'info', create: 'info', remove: 'bad', privileged: 'waiting' } as const;

/** Everybody and everything that was asked for before the bridge is live. */
export const FIRST_RUN = listOf('FirstRun', [
  { name: 'type' },
  { name: 'of', value: ({ name }) => name, link: (item) => item },
  { name: 'is', value: ({ outcome }) => outcome, tones: OUTCOMES },
  { name: 'reason', isLong: true },
  { name: 'changes', isLong: true, value: ({ changes }) => changes.map(toLine).join('; ') },
])({
  path: '/plans/first-run',
  summary: 'What each person and group is before the bridge is live, and the plan that is held.',
  filters: {},
  command: 'plan show --first-run',
});

function toLine(change: OpsJson<'FirstRunItem'>['changes'][number]): string {
  const { kind, count, desired, observed } = change;
  const values = `${toText(toHeld(kind, observed))} → ${toText(toHeld(kind, desired))}`;
  return `${toChange(kind, count)}${desired === null ? '' : `: ${values}`}`;
}

/** Settings in effect. */
export const SETTINGS = listOf('SettingList', [
  { name: 'setting', value: ({ name }) => name },
  { name: 'variable', place: 'csv' },
  { name: 'value', isLong: true, value: ({ value }) => value ?? '(not set)' },
  {
    name: 'from',
    value: ({ from, source }) => (source === null ? from : `${from} ${source}`),
    tone: ({ from }) => (from === 'default' ? 'quiet' : 'info'),
  },
])({
  path: '/settings',
  summary:
    'The settings of the process that answers, without secrets, in the order of the documents.',
  filters: { from: ['default', 'file', 'environment', 'secret-file'], q: 'text' },
  meanings: {
    from: 'Only those whose value comes from there.',
    q: 'Part of the name, or of the variable.',
  },
});

const YES_OR_NO = ['true', 'false'] as const;

const filters = {
  managed: YES_OR_NO,
  staged: YES_OR_NO,
  due: YES_OR_NO,
  stuck: YES_OR_NO,
  disputed: YES_OR_NO,
  drifted: YES_OR_NO,
  deleted: YES_OR_NO,
  q: 'text',
} as const;

type Item = OpsJson<'User'> | OpsJson<'Group'>;

const MANAGED: Column<Item> = {
  name: 'managed',
  value({ origin, staged, deleted }) {
    if (deleted) return 'deleted';
    return staged === null ? (origin ?? 'observed') : 'staged';
  },
  tone: ({ origin, deleted }) => (deleted || origin === null ? 'quiet' : 'info'),
};

const WORK: readonly Column<Item>[] = [
  { name: 'waits', value: ({ pending }) => pending.join(', '), tone: () => 'waiting' },
  { name: 'drifts', value: ({ drifts }) => (drifts === 0 ? '' : drifts), tone: () => 'waiting' },
  {
    name: 'problem',
    isLong: true,
    value: ({ problem, dueAt }) => toProblemText(problem, dueAt),
    tone: ({ stuckSince }) => (stuckSince === null ? 'waiting' : 'bad'),
  },
  { name: 'seen', kind: 'ago', place: 'minor', value: ({ seenAt }) => seenAt },
];

/** People: what is wanted, what is seen, what waits. */
export const USERS = listOf('UserList', [
  { name: 'id', kind: 'id', place: 'minor' },
  { name: 'name', link: ({ id }) => ({ type: 'user', id }) },
  MANAGED,
  { name: 'account', kind: 'id', place: 'minor', value: ({ upstreamId }) => upstreamId },
  { name: 'active', value: ({ active }) => toActive(active) },
  ...WORK,
])({ filters, path: '/users', summary: 'List people in order of creation.', oldestFirst: true });

/** Groups: what is managed, what is seen, what waits. */
export const GROUPS = listOf('GroupList', [
  { name: 'id', kind: 'id', place: 'minor' },
  { name: 'name', link: ({ id }) => ({ type: 'group', id }) },
  MANAGED,
  { name: 'scim id', kind: 'id', place: 'minor', value: ({ upstreamIds }) => upstreamIds.scimId },
  { name: 'rest id', kind: 'id', place: 'minor', value: ({ upstreamIds }) => upstreamIds.restId },
  ...WORK,
])({ filters, path: '/groups', summary: 'List groups in order of creation.', oldestFirst: true });

function toActive({ desired, observed }: OpsJson<'User'>['active']): string {
  const toWord = (is: boolean | null) => (is === null ? 'not yet' : is ? 'yes' : 'no');
  if (desired === null) return observed === null ? '?' : toWord(observed);
  return observed === desired ? toWord(desired) : `${toWord(desired)}, seen ${toWord(observed)}`;
}

const STANDINGS = {
  settled: 'good',
  pending: 'info',
  stuck: 'bad',
  drifted: 'waiting',
  held: 'waiting',
} as const;

const STATES: readonly Column<OpsJson<'Field'> | OpsJson<'Member'>>[] = [
  { name: 'wanted', value: ({ desired }) => toWords(desired) || '-' },
  { name: 'in the service', value: ({ observed }) => toWords(observed) || '-' },
  { name: 'state', place: 'whole', value: ({ standing }) => standing, tones: STANDINGS },
  { name: 'from', value: ({ from }) => from ?? '-' },
  { name: 'note', isLong: true, value: (one) => ('note' in one ? one.note : '') },
];

/** Columns of the fields of a user or group. */
export const FIELDS: readonly Column<OpsJson<'Field'>>[] = [
  { name: 'field', place: 'whole' },
  ...STATES,
];

/** Columns of the groups of a user, or of the users in a list of a group. */
export function toLinkColumns(type: 'user' | 'group'): readonly Column<OpsJson<'Member'>>[] {
  return [{ name: 'name', link: ({ id }) => ({ type, id }) }, ...STATES];
}
