import { Alert, AppShell, Burger, Button, Group, Loader, Menu, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { countDrifts } from '../../src/ops/lists/details.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { askSession } from '../api/ask.ts';
import { useMe, useRead, useStatus } from '../api/queries.ts';
import { Tag, toTime } from '../parts/cell.tsx';
import { Dialogs } from '../parts/dialog.tsx';
import { Fault, focusPage } from '../parts/page.tsx';
import { SignIn } from '../sign-in/sign-in.tsx';
import iconUrl from './icon.svg';

/** Frame of every page: signing in first, then the navigation beside the page. A dialog outlives the session, to say so. */
export function Shell() {
  const me = useMe();
  if (me.error !== null) return <Fault error={me.error} />;
  if (me.data === undefined) return <Loader m="xl" />;
  return <Dialogs>{me.data.name === null ? <SignIn /> : <SignedIn />}</Dialogs>;
}

function SignedIn() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  // Leads the keyboard, and whoever hears the page read, to each new page, over which the navigation lies on a phone.
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    close();
    focusPage();
  }, [path, close]);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <img src={iconUrl} alt="" width={24} height={24} />
          <Text component={Link} to="/" fw={600} c="inherit">
            scim-bridge
          </Text>
          <ThisSession />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages" className={isOpen ? '' : 'shut'}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Unreachable />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Says that what is shown may be old, while the bridge does not answer. */
function Unreachable() {
  const { isHeard, dataUpdatedAt } = useStatus();
  if (isHeard || dataUpdatedAt === 0) return null;
  return (
    <Alert color="yellow" role="status" mb="md" title="The bridge does not answer">
      What is shown is what it said at {toTime(new Date(dataUpdatedAt).toISOString())}. It is asked
      again every few seconds.
    </Alert>
  );
}

const PAGES = [
  ...(['/', '/plans', '/drifts', '/unmanaged', '/users', '/groups', '/leavers'] as const),
  ...(['/requests', '/credentials', '/providers', '/notifications', '/acts'] as const),
  ...(['/settings', '/set-up'] as const),
];

/** Pages of the console, with what waits for an operator beside them. */
function Navigation() {
  const held = useRead('PlanList', '/plans?status=held&limit=100').data;
  const status = useStatus().data;
  const drifts = status === undefined ? 0 : countDrifts(status, 'open', 'contested').count;
  const plans = held === undefined ? 0 : held.items.length;
  const waiting: Readonly<Record<string, string | false>> = {
    '/plans': plans > 0 && `${plans}${held?.nextCursor ? '+' : ''}`,
    '/drifts': drifts > 0 && drifts.toLocaleString('en'),
  };
  return PAGES.map((to) => (
    <NavLink
      key={to}
      label={to === '/' ? 'Overview' : toTitle(to.slice(1))}
      rightSection={
        waiting[to] && (
          <Tag tone="waiting">
            {waiting[to]}
            <span className="hidden"> waiting</span>
          </Tag>
        )
      }
      renderRoot={(props) => (
        <Link
          {...props}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ 'data-active': true, 'aria-current': 'page' }}
        />
      )}
    />
  ));
}

/** Person who is signed in, and the way out. */
function ThisSession() {
  const { data: me } = useMe();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => askSession('DELETE'),
    onSuccess({ endAt }) {
      client.clear();
      location.assign(endAt ?? '/console/');
    },
  });
  return (
    <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button ml="auto" variant="default" aria-label={`Signed in as ${me?.name}`}>
          {me?.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me?.role === 'operator' ? 'Operator' : 'Reader: sees, changes nothing'}
          {me?.expiresAt && `, until ${toTime(me.expiresAt)}`}
        </Menu.Label>
        <Menu.Item closeMenuOnClick={false} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
        {signOut.error && (
          <Menu.Label role="alert">Not signed out. {signOut.error.message}</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
