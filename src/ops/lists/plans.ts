import type { ShownSetting } from '../../settings/shown.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toSubject } from './drifts.ts';
import { type Column, listOf, type Tone } from './list.ts';
import {
  toChange,
  toCounts,
  toDecider,
  toHeld,
  toReason,
  toSource,
  toText,
  toVerb,
} from './words.ts';

/** As the domain has them: its module of plans is not for browsers. */
const STATUSES = ['making', 'held', 'approved', 'applied', 'discarded'] as const;

/** The tone of each status of a plan. */
export const PLAN_TONES: Readonly<Partial<Record<OpsJson<'PlanSummary'>['status'], Tone>>> = {
  held: 'waiting',
  approved: 'info',
  applied: 'good',
};

/** Plans, the newest first. */
export const PLANS = listOf<OpsJson<'PlanSummary'>>()({
  method: 'get',
  path: '/plans',
  tag: 'Plans',
  summary: 'List plans, the newest first.',
  filters: { status: STATUSES },
  answers: { 200: 'PlanList' },
  columns: [
    { name: 'id', kind: 'id', place: 'whole', value: ({ id }) => id },
    {
      ...{ name: 'changes', place: 'minor' },
      value: ({ counts }) => toCounts(counts.kinds),
      link: ({ id }) => ({ type: 'plan', id }),
    },
    { name: 'made', kind: 'ago', place: 'minor', value: ({ createdAt }) => createdAt },
    {
      name: 'status',
      value: ({ status }) => status,
      tone: ({ status }) => PLAN_TONES[status] ?? 'quiet',
    },
    { name: 'actions', value: ({ counts }) => counts.total },
    { name: 'of', value: ({ source }) => toSource(source) },
    { name: 'why it waits', isLong: true, value: ({ reason }) => reason && toReason(reason) },
    { name: 'decided by', place: 'minor', value: toDecider },
  ],
  command: {
    name: 'plan list',
    none: ['There is no plan yet.', 'There is no plan like that.'],
  },
});

const ACTION_TONES: Readonly<Partial<Record<OpsJson<'PlanAction'>['status'], Tone>>> = {
  released: 'info',
  done: 'good',
};

/** Columns of the actions of a plan. */
export const ACTIONS: readonly Column<OpsJson<'PlanAction'>>[] = [
  { name: 'kind', place: 'whole', value: ({ kind }) => kind, words: ({ kind }) => toVerb(kind) },
  { name: 'of', value: toSubject, link: ({ resource }) => resource },
  { name: 'reason', isLong: true, value: ({ reason }) => reason },
  { name: 'harm', value: ({ harm }) => harm, tone: () => 'bad' },
  {
    name: 'state',
    value: ({ status }) => status,
    tone: ({ status }) => ACTION_TONES[status] ?? 'quiet',
  },
  { name: 'by', place: 'minor', value: ({ who }) => who && `${who.by} at ${who.at}` },
];

const OUTCOMES: Readonly<Record<OpsJson<'FirstRunItem'>['outcome'], Tone>> = {
  adopt: 'info',
  linked: 'quiet',
  create: 'info',
  inactive: 'quiet',
  remove: 'bad',
  disputed: 'waiting',
  privileged: 'waiting',
};

/** Everybody and everything that was asked for before the bridge is live. */
export const FIRST_RUN = listOf<OpsJson<'FirstRunItem'>>()({
  method: 'get',
  path: '/plans/first-run',
  tag: 'Going live and recovery',
  summary: 'What each person and group is before the bridge is live, and the plan that is held.',
  filters: {},
  answers: { 200: 'FirstRun' },
  columns: [
    { name: 'type', value: ({ type }) => type },
    {
      name: 'of',
      value: ({ name }) => name,
      link: ({ type, id }) => (id === null ? null : { type, id }),
    },
    { name: 'is', value: ({ outcome }) => outcome, tone: ({ outcome }) => OUTCOMES[outcome] },
    { name: 'reason', isLong: true, value: ({ reason }) => reason },
    { name: 'changes', isLong: true, value: ({ changes }) => changes.map(toLine).join('; ') },
  ],
  command: {
    name: 'plan show --first-run',
    none: ['Nothing was asked for.'],
  },
});

function toLine(change: OpsJson<'FirstRunItem'>['changes'][number]): string {
  const { kind, count, desired, observed } = change;
  const values = `${toText(toHeld(kind, observed))} → ${toText(toHeld(kind, desired))}`;
  return `${toChange(kind, count)}${desired === null ? '' : `: ${values}`}`;
}

/** Settings in effect. */
export const SETTINGS = listOf<ShownSetting>()({
  method: 'get',
  path: '/settings',
  tag: 'State',
  summary:
    'The settings of the process that answers, without secrets, in the order of the documents.',
  filters: { from: ['default', 'file', 'environment', 'secret-file'], q: 'text' },
  meanings: {
    from: 'Only those whose value comes from there.',
    q: 'Part of the name, or of the variable.',
  },
  answers: { 200: 'SettingList' },
  columns: [
    { name: 'setting', value: ({ name }) => name },
    { name: 'variable', place: 'csv', value: ({ variable }) => variable },
    { name: 'value', isLong: true, value: ({ value }) => value ?? '(not set)' },
    {
      name: 'from',
      value: ({ from, source }) => (source === null ? from : `${from} ${source}`),
      tone: ({ from }) => (from === 'default' ? 'quiet' : 'info'),
    },
  ],
  command: {
    name: 'settings',
    none: ['No setting is called so.'],
  },
});
