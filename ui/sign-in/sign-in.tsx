import { Alert, Button, Divider, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { askSession } from '../api/ask.ts';
import { useMe } from '../api/queries.ts';
import iconUrl from '../app/icon.svg';
import { CommandLine } from '../parts/page.tsx';

/** Asks for the token of an operator or a reader. */
export function SignIn() {
  const client = useQueryClient();
  const { data: me } = useMe();
  const [token, setToken] = useState('');
  const signIn = useMutation({
    mutationFn: () => askSession('POST', { token: token.trim() }),
    onSuccess(me) {
      // What somebody else was shown is not for this person.
      client.removeQueries({ queryKey: ['ops'] });
      client.setQueryData(['me'], me);
    },
  });
  const refused = new URLSearchParams(location.search).get('refused') ?? '';
  const refusal = signIn.error?.message ?? REFUSALS[refused];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <main className="sign-in">
      <Paper component="form" withBorder p="xl" radius="md" onSubmit={submit}>
        <Stack>
          <img src={iconUrl} alt="" width={40} height={40} />
          <Title order={1}>Sign in to scim-bridge</Title>
          {me?.isOver && (
            <Alert color="yellow" role="status" title="The session is over">
              What was asked since was not done. Sign in to go on with this page.
            </Alert>
          )}
          {me?.oidc && <Provider />}
          <PasswordInput
            label="Token of an operator or a reader"
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
            autoComplete="current-password"
            autoFocus={!me?.oidc}
            required
            withAsterisk={false}
          />
          {refusal && (
            <Alert color="red" role="alert" title="Not signed in">
              {refusal}
            </Alert>
          )}
          <Button type="submit" size="sm" loading={signIn.isPending}>
            Sign in
          </Button>
          <Text size="sm" c="dimmed">
            It is OPS_TOKEN, or a token of your own:
          </Text>
          <CommandLine text="scim-bridge token create my-name --for operator" />
        </Stack>
      </Paper>
    </main>
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  role: 'Your account is in none of the groups that may use the console.',
  failed: 'Signing in did not work; the log of the bridge says why.',
};

/** Signing in with the account of the company. */
function Provider() {
  return (
    <>
      <Button component="a" href={`/console/oidc?to=${encodeURIComponent(toHere())}`} size="sm">
        Sign in with your company account
      </Button>
      <Divider label="or" />
    </>
  );
}

/** The page that the person came for, without what was said of an attempt before. */
function toHere(): string {
  const { pathname, search } = location;
  return search.startsWith('?refused=') ? pathname : `${pathname}${search}`;
}
