import { Button, Menu, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askSession, type Me } from '../api/ask.ts';
import { useMe } from '../api/queries.ts';
import { toTime } from '../parts/cell.tsx';

/** Person who is signed in, and the way out. */
export function ThisSession() {
  const { data: me } = useMe();
  return (
    <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button ml="auto" variant="default" aria-label={`Signed in as ${me?.name}`}>
          {me?.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {toRole(me)}
          {me?.expiresAt && `, until ${toTime(me.expiresAt)}`}
        </Menu.Label>
        <SchemeItems />
        <Menu.Divider />
        <SignOutItem />
      </Menu.Dropdown>
    </Menu>
  );
}

function toRole(me: Me | undefined): string {
  if (me?.role === 'operator') return 'Operator';
  return 'Reader: sees, changes nothing';
}

const SCHEMES = { light: 'Light', dark: 'Dark', auto: 'As the system has it' } as const;

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const all = ['light', 'dark', 'auto'] as const;
  return all.map((scheme) => (
    <Menu.Item
      key={scheme}
      onClick={() => setColorScheme(scheme)}
      rightSection={colorScheme === scheme ? '✓' : undefined}
    >
      {SCHEMES[scheme]}
      {colorScheme === scheme && <span className="hidden"> (chosen)</span>}
    </Menu.Item>
  ));
}

function SignOutItem() {
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => askSession('DELETE'),
    onSuccess({ endAt }) {
      client.clear();
      location.assign(endAt ?? '/console/');
    },
  });
  return (
    <>
      <Menu.Item closeMenuOnClick={false} onClick={() => signOut.mutate()}>
        Sign out
      </Menu.Item>
      {signOut.error && (
        <Menu.Label role="alert">Not signed out. {signOut.error.message}</Menu.Label>
      )}
    </>
  );
}
