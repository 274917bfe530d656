import { PLAN_STATUSES } from '../../domain/plan.ts';
import type { ShownSetting } from '../../settings/shown.ts';
import type { PlanSummary } from '../schemas/plans.ts';
import { listOf, type Tone } from './list.ts';

const TONES: Readonly<Partial<Record<PlanSummary['status'], Tone>>> = {
  held: 'waiting',
  approved: 'info',
  applied: 'good',
};

/** Plans, the newest first. */
export const PLANS = listOf<PlanSummary>()({
  method: 'get',
  path: '/plans',
  tag: 'Plans',
  summary: 'Plans, the newest first.',
  filters: { status: PLAN_STATUSES },
  answers: { 200: 'PlanList' },
  columns: [
    {
      ...{ name: 'id', kind: 'id', place: 'whole' },
      value: ({ id }) => id,
      link: ({ id }) => ({ type: 'plan', id }),
    },
    { name: 'made', kind: 'time', place: 'minor', value: ({ createdAt }) => createdAt },
    {
      name: 'status',
      value: ({ status }) => status,
      tone: ({ status }) => TONES[status] ?? 'quiet',
    },
    { name: 'actions', value: ({ counts }) => counts.total },
    { name: 'of', value: ({ source }) => source },
    { name: 'why it waits', value: ({ reason }) => reason },
  ],
  command: {
    name: 'plan list',
    about: 'plans, the newest first',
    options: [{ flags: '--status <status>', filter: 'status' }],
    none: ['There is no plan yet.', 'There is no plan like that.'],
  },
});

/** Settings in effect. */
export const SETTINGS = listOf<ShownSetting>()({
  method: 'get',
  path: '/settings',
  tag: 'State',
  summary:
    'The settings of the process that answers, without secrets, in the order of the documents.',
  filters: { from: ['default', 'file', 'environment', 'secret-file'] },
  meanings: { from: 'Only those whose value comes from there.' },
  answers: { 200: 'SettingList' },
  columns: [
    { name: 'setting', value: ({ name }) => name },
    { name: 'value', value: ({ value }) => value ?? '(not set)' },
    {
      name: 'from',
      value: ({ from, source }) => (source === null ? from : `${from} ${source}`),
      tone: ({ from }) => (from === 'default' ? 'quiet' : 'info'),
    },
  ],
  command: {
    name: 'settings',
    about: 'print the settings of the running bridge, without secrets',
    options: [],
    none: ['There is no setting.'],
  },
});
