import type { OpsJson } from '../schemas/schemas.ts';
import { toSubject } from './drifts.ts';
import { type Column, listOf, type Tone } from './list.ts';
import { toChange, toCounts, toDecider, toHeld, toSource, toText } from './words.ts';

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
  filters: { status: ['making', 'held', 'approved', 'applied', 'discarded'] },
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

const OUTCOMES = {
  adopt: 'info',
  create: 'info',
  remove: 'bad',
  disputed: 'waiting',
  privileged: 'waiting',
} as const;

/** Everybody and everything that was asked for before the bridge is live. */
export const FIRST_RUN = listOf('FirstRun', [
  { name: 'type' },
  {
    name: 'of',
    value: ({ name }) => name,
    link: ({ type, id }) => (id === null ? null : { type, id }),
  },
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
  command: 'settings',
});
