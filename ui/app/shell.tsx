import { AppShell, Burger, Group, Loader, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { followLive } from '../api/live.ts';
import { useMe } from '../api/queries.ts';
import { Fault } from '../parts/fault.tsx';
import { SignIn } from '../sign-in/sign-in.tsx';
import iconUrl from './icon.svg';
import { Navigation } from './navigation.tsx';
import { ThisSession } from './this-session.tsx';

/** Frame of every page: signing in first, then the navigation beside the page. */
export function Shell() {
  const me = useMe();
  if (me.isPending) return <Loader m="xl" aria-label="Loading" />;
  if (me.error !== null) return <Fault error={me.error} />;
  if (me.data.name === null) return <SignIn />;
  return <SignedIn />;
}

function SignedIn() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const client = useQueryClient();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => followLive(client), [client]);
  // On a phone the navigation lies over the page that was chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes it.
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <AppShell.Header className="bar">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <Link to="/" className="brand">
            <img src={iconUrl} alt="" width={24} height={24} />
            <Text fw={600}>scim-bridge</Text>
          </Link>
          <ThisSession />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
