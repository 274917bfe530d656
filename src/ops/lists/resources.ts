import type { OpsJson } from '../schemas/schemas.ts';
import { type Column, listOf, toProblemText, toWords } from './list.ts';

const YES_OR_NO = ['true', 'false'] as const;

const filters = {
  managed: YES_OR_NO,
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
  value: ({ origin, deleted }) => (deleted ? 'deleted' : (origin ?? 'observed')),
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
])({
  filters,
  path: '/users',
  summary: 'List people in order of creation.',
  command: 'users',
});

/** Groups: what is managed, what is seen, what waits. */
export const GROUPS = listOf('GroupList', [
  { name: 'id', kind: 'id', place: 'minor' },
  { name: 'name', link: ({ id }) => ({ type: 'group', id }) },
  MANAGED,
  { name: 'scim id', kind: 'id', place: 'minor', value: ({ upstreamIds }) => upstreamIds.scimId },
  { name: 'rest id', kind: 'id', place: 'minor', value: ({ upstreamIds }) => upstreamIds.restId },
  ...WORK,
])({
  filters,
  path: '/groups',
  summary: 'List groups in order of creation.',
  command: 'groups',
});

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
