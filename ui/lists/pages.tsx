import { Link } from '@tanstack/react-router';
import { access } from '../../src/ops/lists/access.ts';
import { records } from '../../src/ops/lists/records.ts';
import * as lists from '../../src/ops/lists/tables.ts';
import { useStatus } from '../api/queries.ts';
import { DecideDrifts, type Decision, type Drift } from '../drifts/decide-drifts.tsx';
import { type Choosing, listPage } from './list-page.tsx';

export const UsersPage = listPage(lists.USERS);

export const GroupsPage = listPage(lists.GROUPS);

export const LeaversPage = listPage(records.LEAVERS);

export const RequestsPage = listPage(records.REQUESTS);

export const ActsPage = listPage(records.ACTS);

export const ProvidersPage = listPage(access.PROVIDERS);

export const NotificationsPage = listPage(records.NOTIFICATIONS);

export const SettingsPage = listPage(lists.SETTINGS);

export const FirstRunPage = listPage(lists.FIRST_RUN);

export const PlansPage = listPage(lists.PLANS, { head: <Observing /> });

export const DriftsPage = listPage(lists.DRIFTS, {
  choosing: toChoosing(['repair', 'accept', 'ignore']),
});

export const UnmanagedPage = listPage(lists.UNMANAGED, {
  choosing: toChoosing(['adopt', 'ignore']),
});

/** Drifts are decided together, but for those that need a decision of their own. */
function toChoosing(decisions: readonly Decision[]): Choosing<Drift> {
  return {
    findName: ({ resource, kind, privileged }) =>
      privileged ? undefined : `${resource.name ?? resource.id}, ${kind}`,
    show: (drifts, onDone) => (
      <DecideDrifts drifts={drifts} decisions={decisions} onDone={onDone} />
    ),
  };
}

/** Leads to what was asked for while the bridge observes, and of which no plan is made yet. */
function Observing() {
  if (useStatus().data?.writes.mode !== 'observe') return null;
  return (
    <Link to="/plans/$id" params={{ id: 'first-run' }}>
      What the bridge would do if it were live
    </Link>
  );
}
