import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PROVIDERS } from '../../src/ops/lists/access.ts';
import { countDrifts } from '../../src/ops/lists/details.ts';
import { DRIFTS, UNMANAGED } from '../../src/ops/lists/drifts.ts';
import { FIRST_RUN, PLANS, SETTINGS } from '../../src/ops/lists/plans.ts';
import { ACTS, LEAVERS, NOTIFICATIONS, REQUESTS } from '../../src/ops/lists/records.ts';
import { GROUPS, USERS } from '../../src/ops/lists/resources.ts';
import { toList } from '../../src/ops/lists/words.ts';
import { useRead, useStatus } from '../api/queries.ts';
import { DecideDrifts, type Decision, type Drift } from '../drifts/decide-drifts.tsx';
import type { Filter } from './filters.tsx';
import { type Choosing, listPage } from './list-page.tsx';

const STATUS: Filter = { name: 'status', label: 'Every status' };

const RESOURCE_SEARCH: readonly Filter[] = [
  { name: 'q', label: 'Search' },
  {
    name: 'state',
    label: 'Every state',
    choices: {
      due: 'Something is to be done',
      stuck: 'Refused by the service',
      drifted: 'Changed in the service',
      disputed: 'Disputed names',
      deleted: 'Deleted',
    },
  },
  {
    name: 'managed',
    label: 'Managed or not',
    choices: { true: 'Managed', false: 'Unmanaged' },
  },
];

const REQUEST_SEARCH: readonly Filter[] = [
  { name: 'resource', label: 'Id of a user or group' },
  { name: 'credential', label: 'Id of a credential' },
  { name: 'type', label: 'Users and groups', choices: { user: 'Users', group: 'Groups' } },
  {
    name: 'status',
    label: 'Every answer',
    choices: {
      '2xx': 'Accepted',
      '4xx': 'Refused (4xx)',
      '5xx': 'Failed (5xx)',
      '409': 'Conflicts (409)',
    },
  },
];

const DRIFT_SEARCH: readonly Filter[] = [
  { name: 'q', label: 'Search' },
  {
    name: 'status',
    label: 'Wait for a decision',
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
  },
  { name: 'kind', label: 'Every kind' },
  { name: 'order', label: 'The newest first', choices: { oldest: 'The oldest first' } },
];

export const UsersPage = listPage({ list: USERS, search: RESOURCE_SEARCH });

export const GroupsPage = listPage({ list: GROUPS, search: RESOURCE_SEARCH });

export const LeaversPage = listPage({
  list: LEAVERS,
  search: [{ name: 'since', label: 'Accepted since', isSince: true }, STATUS],
});

export const RequestsPage = listPage({ list: REQUESTS, search: REQUEST_SEARCH });

export const ActsPage = listPage({
  list: ACTS,
  search: [
    { name: 'operator', label: 'Operator' },
    { name: 'outcome', label: 'Every outcome' },
  ],
});

export const ProvidersPage = listPage({ list: PROVIDERS });

export const NotificationsPage = listPage({ list: NOTIFICATIONS });

export const SettingsPage = listPage({
  list: SETTINGS,
  search: [
    { name: 'q', label: 'Search' },
    { name: 'from', label: 'Every origin' },
  ],
});

export const FirstRunPage = listPage({ list: FIRST_RUN });

export const PlansPage = listPage({ list: PLANS, search: [STATUS], head: Observing });

export const DriftsPage = listPage({
  list: DRIFTS,
  search: DRIFT_SEARCH,
  choosing: toChoosing(['repair', 'accept', 'ignore']),
  head: Held,
});

export const UnmanagedPage = listPage({
  list: UNMANAGED,
  search: DRIFT_SEARCH,
  choosing: toChoosing(['adopt', 'ignore']),
});

/** Drifts are decided together, but for those that need a decision of their own. */
function toChoosing(decisions: readonly Decision[]): Choosing<Drift> {
  return {
    findName: ({ resource, kind, privileged }) =>
      privileged ? undefined : `${resource.name ?? resource.id}, ${kind}`,
    show: (drifts, onDone) => <DecideDrifts {...{ drifts, decisions, onDone }} />,
  };
}

/** What was asked for while the bridge observes, and of which no plan is made yet. */
function Observing() {
  const { data } = useRead('FirstRun', '/plans/first-run?limit=1');
  if (data?.phase !== 'observing') return null;
  // Accounts and groups that the first run makes are changes, too.
  const made = Object.entries(data.counts ?? {}).filter(([name]) => name.endsWith('.create'));
  const kinds = { ...Object.fromEntries(made), ...data.kinds };
  return (
    <Alert variant="outline" title="The bridge observes and changes nothing in the service">
      Live, it would {toList(kinds, 'change nothing')}.{' '}
      <Link to="/plans/$id" params={{ id: 'first-run' }}>
        Show each
      </Link>
    </Alert>
  );
}

/** Says which differences are repaired by a plan that waits itself. */
function Held() {
  const { data } = useStatus();
  const held = data === undefined ? 0 : countDrifts(data, 'open', 'contested').held;
  if (held === 0) return null;
  return (
    <Link to="/plans" search={{ status: 'held' }}>
      {held.toLocaleString('en')} of those that wait for a decision are in a plan: decide there
    </Link>
  );
}
