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

const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: OverviewPage,
});
const plans = createRoute({
  getParentRoute: () => rootRoute,
  path: '/plans',
  validateSearch: parseSearch(['status']),
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'PlansPage'),
});
const plan = createRoute({
  getParentRoute: () => rootRoute,
  path: '/plans/$id',
  component: lazyRouteComponent(() => import('../plans/plan-page.tsx'), 'PlanPage'),
});
const driftSearch = parseSearch(['kind', 'status', 'resource', 'q', 'order']);
const drifts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/drifts',
  validateSearch: driftSearch,
  component: lazyRouteComponent(() => import('../drifts/drifts-page.tsx'), 'DriftsPage'),
});
const unmanaged = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unmanaged',
  validateSearch: driftSearch,
  component: lazyRouteComponent(() => import('../drifts/drifts-page.tsx'), 'UnmanagedPage'),
});
const resourceSearch = parseSearch(['q', 'state', 'managed']);
const users = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users',
  validateSearch: resourceSearch,
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'UsersPage'),
});
const user = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('../resources/resource-page.tsx'), 'UserPage'),
});
const groups = createRoute({
  getParentRoute: () => rootRoute,
  path: '/groups',
  validateSearch: resourceSearch,
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'GroupsPage'),
});
const group = createRoute({
  getParentRoute: () => rootRoute,
  path: '/groups/$id',
  component: lazyRouteComponent(() => import('../resources/resource-page.tsx'), 'GroupPage'),
});
const requests = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  validateSearch: parseSearch(['status', 'type', 'resource', 'credential']),
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'RequestsPage'),
});
const leavers = createRoute({
  getParentRoute: () => rootRoute,
  path: '/leavers',
  validateSearch: parseSearch(['status', 'since']),
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'LeaversPage'),
});
const credentials = createRoute({
  getParentRoute: () => rootRoute,
  path: '/credentials',
  component: lazyRouteComponent(
    () => import('../credentials/credentials-page.tsx'),
    'CredentialsPage',
  ),
});
const acts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/acts',
  validateSearch: parseSearch(['operator', 'target', 'outcome']),
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'ActsPage'),
});
const settings = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: parseSearch(['q', 'from']),
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'SettingsPage'),
});
const providers = createRoute({
  getParentRoute: () => rootRoute,
  path: '/providers',
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'ProvidersPage'),
});
const notifications = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notifications',
  component: lazyRouteComponent(() => import('../lists/pages.tsx'), 'NotificationsPage'),
});
const setUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-up',
  component: lazyRouteComponent(() => import('../set-up/set-up-page.tsx'), 'SetUpPage'),
});

const routeTree = rootRoute.addChildren([
  ...[overview, plans, plan, drifts, users, user, groups, group, requests, credentials, acts],
  ...[unmanaged, leavers, providers, notifications, settings, setUp],
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
