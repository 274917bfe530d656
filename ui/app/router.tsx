import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { OverviewPage } from '../overview/overview-page.tsx';
import { Fault } from '../parts/fault.tsx';
import { Page } from '../parts/page.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({ component: Shell });

/** Filters of an address: texts alone, and what is empty is left out. */
function parseSearch<Name extends string>(names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [Key in Name]?: string } => {
    const given = names.flatMap((name) => {
      const value = search[name];
      return value === undefined || value === '' ? [] : [[name, String(value)] as const];
    });
    return parseNamed<Name>(Object.fromEntries(given));
  };
}

/** Holds no other names than those that were asked for. */
function parseNamed<Name extends string>(found: object): { [Key in Name]?: string } {
  return found as { [Key in Name]?: string };
}

/** A page of one list, with the filters that its address may have. */
function listRoute<const Path extends string, const Name extends string = never>(
  path: Path,
  page: keyof typeof import('../lists/pages.tsx'),
  filters: readonly Name[] = [],
) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: parseSearch(filters),
    component: lazyRouteComponent(() => import('../lists/pages.tsx'), page),
  });
}

const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: OverviewPage,
});

const plan = createRoute({
  getParentRoute: () => rootRoute,
  path: '/plans/$id',
  component: lazyRouteComponent(() => import('../plans/plan-page.tsx'), 'PlanPage'),
});

const user = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('../resources/resource-page.tsx'), 'UserPage'),
});

const group = createRoute({
  getParentRoute: () => rootRoute,
  path: '/groups/$id',
  component: lazyRouteComponent(() => import('../resources/resource-page.tsx'), 'GroupPage'),
});

const credentials = createRoute({
  getParentRoute: () => rootRoute,
  path: '/credentials',
  component: lazyRouteComponent(
    () => import('../credentials/credentials-page.tsx'),
    'CredentialsPage',
  ),
});

const setUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-up',
  component: lazyRouteComponent(() => import('../set-up/set-up-page.tsx'), 'SetUpPage'),
});

const DRIFT_FILTERS = ['kind', 'status', 'resource', 'q', 'order'] as const;
const RESOURCE_FILTERS = ['q', 'state', 'managed'] as const;

const routeTree = rootRoute.addChildren([
  ...[overview, plan, user, group, credentials, setUp],
  listRoute('/plans', 'PlansPage', ['status']),
  listRoute('/drifts', 'DriftsPage', DRIFT_FILTERS),
  listRoute('/unmanaged', 'UnmanagedPage', DRIFT_FILTERS),
  listRoute('/users', 'UsersPage', RESOURCE_FILTERS),
  listRoute('/groups', 'GroupsPage', RESOURCE_FILTERS),
  listRoute('/requests', 'RequestsPage', ['status', 'type', 'resource', 'credential']),
  listRoute('/leavers', 'LeaversPage', ['status', 'since']),
  listRoute('/acts', 'ActsPage', ['operator', 'target', 'outcome']),
  listRoute('/settings', 'SettingsPage', ['q', 'from']),
  listRoute('/providers', 'ProvidersPage'),
  listRoute('/notifications', 'NotificationsPage'),
]);

/** Addresses of the pages. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ({ error }) => <Fault error={toError(error)} />,
});

function NotFound() {
  return (
    <Page title="There is no such page" lead="The address may be of another version of the bridge.">
      <a href="/console/">To the overview</a>
    </Page>
  );
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
