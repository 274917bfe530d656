import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PROVIDERS } from '../../src/ops/lists/access.ts';
import { countDrifts } from '../../src/ops/lists/details.ts';
import { DRIFTS, UNMANAGED } from '../../src/ops/lists/drifts.ts';
import { FIRST_RUN, PLANS, SETTINGS } from '../../src/ops/lists/plans.ts';
import { ACTS, LEAVERS, NOTIFICATIONS, REQUESTS } from '../../src/ops/lists/records.ts';
import { GROUPS, USERS } from '../../src/ops/lists/resources.ts';
import { toList } from '../../src/ops/lists/words.ts';
import { STATUS_TOPICS, useRead } from '../api/queries.ts';
import { driftPage, listPage, type SearchBox } from './list-page.tsx';

const RESOURCE_SEARCH: readonly SearchBox[] = [
  { filter: 'q', label: 'Search', placeholder: 'Name, address or id' },
  {
    ...{ filter: 'state', label: 'Every state' },
    choices: {
      due: 'Something is to be done',
      stuck: 'Refused by the service',
      drifted: 'Changed in the service',
      disputed: 'Disputed names',
      deleted: 'Deleted',
    },
  },
  {
    ...{ filter: 'managed', label: 'Managed or not' },
    choices: { true: 'Managed', false: 'Unmanaged' },
  },
];

/** Users, with one box that finds them. */
export const UsersPage = listPage({
  list: USERS,
  title: 'Users',
  lead: 'Accounts of the service and users of the providers, managed or only observed.',
  topics: ['resources', 'work'],
  search: RESOURCE_SEARCH,
});

/** Groups, with one box that finds them. */
export const GroupsPage = listPage({
  list: GROUPS,
  title: 'Groups',
  lead: 'Groups of the service and of the providers, managed or only observed.',
  topics: ['resources', 'work'],
  search: RESOURCE_SEARCH,
});

/** Who lost access, what proves it, and what remains. */
export const LeaversPage = listPage({
  list: LEAVERS,
  title: 'Leavers',
  lead: 'Who lost access, what proves it, and what remains.',
  topics: ['leavers'],
  search: [
    { filter: 'since', label: 'Accepted since', isSince: true },
    { filter: 'status', label: 'Every status' },
  ],
});

/** The providers' requests, live, with those that were refused. */
export const RequestsPage = listPage({
  list: REQUESTS,
  title: 'Requests',
  lead: 'Requests from providers and our answers. Values are not stored.',
  topics: ['requests'],
  search: [
    { filter: 'resource', label: 'Id of a user or group' },
    { filter: 'credential', label: 'Id of a credential' },
    {
      ...{ filter: 'type', label: 'Users and groups' },
      choices: { user: 'Users', group: 'Groups' },
    },
    {
      ...{ filter: 'status', label: 'Every answer' },
      choices: {
        '2xx': 'Accepted',
        '4xx': 'Refused (4xx)',
        '5xx': 'Failed (5xx)',
        '409': 'Conflicts (409)',
      },
    },
  ],
});

/** The acts of operators: from where, with the states before and after. */
export const ActsPage = listPage({
  list: ACTS,
  title: 'Acts',
  lead: 'What operators did, here and by commands, with what it changed.',
  topics: ['acts'],
  search: [
    { filter: 'operator', label: 'Operator' },
    { filter: 'outcome', label: 'Every outcome' },
  ],
});

/** Identity providers, and what each may do. */
export const ProvidersPage = listPage({
  list: PROVIDERS,
  title: 'Providers',
  lead: 'Identity providers, and what each may do.',
  topics: ['access'],
});

/** What receivers of notifications do not have. */
export const NotificationsPage = listPage({
  list: NOTIFICATIONS,
  title: 'Notifications',
  lead: 'What receivers do not have yet.',
  topics: ['plans', 'leavers'],
});

/** Settings in effect, each with the place that its value comes from. */
export const SettingsPage = listPage({
  list: SETTINGS,
  title: 'Settings',
  lead: 'In effect in the process that answers, without secrets. They change with a restart.',
  topics: [],
  search: [
    { filter: 'q', label: 'Search', placeholder: 'Name or variable' },
    { filter: 'from', label: 'Every origin' },
  ],
});

/** Everybody and everything that was asked for before the bridge is live, with each change. */
export const FirstRunPage = listPage({
  list: FIRST_RUN,
  title: 'The first run',
  lead: 'Who matches whom in the service, and each change that was asked for and is not made. MODE=live and a restart make it a plan to approve.',
  topics: ['work', 'plans', 'resources'],
});

/** Plans of repairs, those that wait marked. */
export const PlansPage = listPage({
  list: PLANS,
  title: 'Plans',
  lead: 'What the bridge would change, or has changed, to make the service hold again what was asked for.',
  topics: ['plans'],
  search: [{ filter: 'status', label: 'Every status' }],
  head: Observing,
});

/** What was asked for while the bridge observes, and of which no plan is made yet. */
function Observing() {
  const { data } = useRead('FirstRun', '/plans/first-run?limit=1', { topics: ['work', 'plans'] });
  if (data?.phase !== 'observing') return null;
  return (
    <Alert variant="outline" title="The bridge observes and changes nothing in the service">
      Live, it would {toList({ ...toMade(data.counts ?? {}), ...data.kinds }, 'change nothing')}.{' '}
      <Link to="/plans/$id" params={{ id: 'first-run' }}>
        Show each
      </Link>
    </Alert>
  );
}

/** Accounts and groups that the first run makes, as changes. */
function toMade(counts: Readonly<Record<string, number>>): Record<string, number> {
  const made = Object.entries(counts).filter(([name]) => name.endsWith('.create'));
  return Object.fromEntries(made);
}

const STATUS_BOX: SearchBox = {
  ...{ filter: 'status', label: 'Wait for a decision' },
  choices: {
    contested: 'Contested',
    open: 'Open',
    repairing: 'Repairing',
    ignored: 'Ignored',
    repaired: 'Repaired',
    accepted: 'Accepted',
    gone: 'Gone',
    active: 'All that are not over',
    all: 'All',
  },
};
const DRIFT_SEARCH: readonly SearchBox[] = [
  { filter: 'q', label: 'Search', placeholder: 'Name, address or id' },
  STATUS_BOX,
  { filter: 'kind', label: 'Every kind' },
  { filter: 'order', label: 'The newest first', choices: { oldest: 'The oldest first' } },
];

/** What others changed of managed users and groups, with the decisions about it. */
export const DriftsPage = driftPage({
  list: DRIFTS,
  title: 'Drifts',
  lead: 'What others changed in the service. No provider and no rule asked for it.',
  topics: ['drifts'],
  search: DRIFT_SEARCH,
  decisions: ['repair', 'accept', 'ignore'],
  head: Held,
});

/** Accounts and groups that the bridge only observes, to be taken over. */
export const UnmanagedPage = driftPage({
  list: UNMANAGED,
  title: 'Unmanaged',
  lead: 'Accounts and groups in the service that no provider asked for. The bridge does not change them.',
  topics: ['drifts'],
  search: DRIFT_SEARCH,
  decisions: ['adopt', 'ignore'],
});

/** Says which differences are repaired by a plan that waits itself. */
function Held() {
  const { data } = useRead('Status', '/status', { topics: STATUS_TOPICS });
  const held = data === undefined ? 0 : countDrifts(data, 'open', 'contested').held;
  if (held === 0) return null;
  return (
    <Link to="/plans" search={{ status: 'held' }}>
      {held.toLocaleString('en')} of those that wait for a decision are in a plan: decide there
    </Link>
  );
}
