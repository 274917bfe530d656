import { Alert, AppShell, Burger, Group, Loader, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMe, useStatus } from '../api/queries.ts';
import { toTime } from '../parts/cell.tsx';
import { Fault, focusPage } from '../parts/page.tsx';
import { SignIn } from '../sign-in/sign-in.tsx';
import iconUrl from './icon.svg';
import { Navigation } from './navigation.tsx';
import { ThisSession } from './this-session.tsx';

/** Frame of every page: signing in first, then the navigation beside the page. */
export function Shell() {
  const me = useMe();
  if (me.error !== null) return <Fault error={me.error} />;
  if (me.data === undefined) return <Loader m="xl" />;
  if (me.data.name === null) return <SignIn />;
  return <SignedIn />;
}

function SignedIn() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone the navigation lies over the page that was chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes it.
  useEffect(close, [path]);
  useFocusOnPage(path);
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
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Unreachable />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Leads the keyboard, and whoever hears the page read, to each new page. */
function useFocusOnPage(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    focusPage();
  }, [path]);
}

/** Says that what is shown may be old, while the bridge does not answer. */
function Unreachable() {
  const { isHeard, dataUpdatedAt } = useStatus();
  if (isHeard || dataUpdatedAt === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      role="status"
      mb="md"
      title="The bridge does not answer"
    >
      What is shown is what it said at {toTime(new Date(dataUpdatedAt).toISOString())}. It is asked
      again every few seconds.
    </Alert>
  );
}
