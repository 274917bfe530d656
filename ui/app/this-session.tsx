import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askSession } from '../api/ask.ts';
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
          {me?.role === 'operator' ? 'Operator' : 'Reader: sees, changes nothing'}
          {me?.expiresAt && `, until ${toTime(me.expiresAt)}`}
        </Menu.Label>
        <SignOutItem />
      </Menu.Dropdown>
    </Menu>
  );
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
