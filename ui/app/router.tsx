import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { access } from '../../src/ops/lists/access.ts';
import { records } from '../../src/ops/lists/records.ts';
import * as lists from '../../src/ops/lists/tables.ts';
import { CredentialsPage } from '../credentials/credentials-page.tsx';
import { choosing } from '../drifts/decide-drifts.tsx';
import type { Search } from '../lists/filters.tsx';
import { listPage } from '../lists/list-page.tsx';
import { OverviewPage } from '../overview/overview-page.tsx';
import { Fault, Page } from '../parts/page.tsx';
import { Observing, PlanPage } from '../plans/plan-page.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { SetUpPage } from '../set-up/set-up-page.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({ component: Shell });

function route<const Path extends string>(path: Path, component: () => ReactNode) {
  return createRoute({ getParentRoute: () => rootRoute, path, component, validateSearch });
}

/** Filters of an address are texts, and what is empty is left out. */
function validateSearch(search: Readonly<Record<string, unknown>>): Search {
  const given = Object.entries(search).map(([name, value]) => [name, String(value ?? '')]);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** Addresses of the pages. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    route('/', OverviewPage),
    route('/plans', listPage(lists.PLANS, { head: <Observing /> })),
    route('/plans/$id', PlanPage),
    route('/plans/first-run', listPage(lists.FIRST_RUN)),
    route('/drifts', listPage(lists.DRIFTS, { choosing: choosing('repair', 'accept', 'ignore') })),
    route('/unmanaged', listPage(lists.UNMANAGED, { choosing: choosing('adopt', 'ignore') })),
    route('/users', listPage(lists.USERS)),
    route('/users/$id', () => <ResourcePage type="user" />),
    route('/groups', listPage(lists.GROUPS)),
    route('/groups/$id', () => <ResourcePage type="group" />),
    route('/leavers', listPage(records.LEAVERS)),
    route('/requests', listPage(records.REQUESTS)),
    route('/credentials', CredentialsPage),
    route('/providers', listPage(access.PROVIDERS)),
    route('/notifications', listPage(records.NOTIFICATIONS)),
    route('/acts', listPage(records.ACTS)),
    route('/settings', listPage(lists.SETTINGS)),
    route('/set-up', SetUpPage),
  ]),
  basepath: '/console',
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ({ error }) => (
    <Fault error={error instanceof Error ? error : new Error(String(error))} />
  ),
});

function NotFound() {
  return (
    <Page title="There is no such page" lead="The address may be of another version of the bridge.">
      <a href="/console/">To the overview</a>
    </Page>
  );
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
