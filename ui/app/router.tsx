import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CredentialsPage } from '../credentials/credentials-page.tsx';
import type { Search } from '../lists/filters.tsx';
import * as lists from '../lists/pages.tsx';
import { OverviewPage } from '../overview/overview-page.tsx';
import { Fault, Page } from '../parts/page.tsx';
import { PlanPage } from '../plans/plan-page.tsx';
import { GroupPage, UserPage } from '../resources/resource-page.tsx';
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
    route('/plans', lists.PlansPage),
    route('/plans/$id', PlanPage),
    route('/drifts', lists.DriftsPage),
    route('/unmanaged', lists.UnmanagedPage),
    route('/users', lists.UsersPage),
    route('/users/$id', UserPage),
    route('/groups', lists.GroupsPage),
    route('/groups/$id', GroupPage),
    route('/leavers', lists.LeaversPage),
    route('/requests', lists.RequestsPage),
    route('/credentials', CredentialsPage),
    route('/providers', lists.ProvidersPage),
    route('/notifications', lists.NotificationsPage),
    route('/acts', lists.ActsPage),
    route('/settings', lists.SettingsPage),
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
