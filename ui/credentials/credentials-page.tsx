import { Stack } from '@mantine/core';
import { useIsOperator } from '../api/queries.ts';
import { Page, Section } from '../parts/page.tsx';
import { ClientList, SessionList, TokenList } from './credential-lists.tsx';
import { MakeCredential } from './make-credential.tsx';

/** Credentials of providers and operators: make, rotate, revoke. */
export function CredentialsPage() {
  const isOperator = useIsOperator();
  return (
    <Page
      title="Credentials"
      lead="Who may ask, until when, and when it was last used. Secrets are shown once, when they are made."
      actions={isOperator && <MakeCredential />}
    >
      <Stack gap="xl">
        <Section title="Tokens" lead="Of providers, readers and operators.">
          <TokenList />
        </Section>
        <Section
          title="OAuth clients"
          lead="Providers that exchange a secret for access tokens. Two secrets may be valid at once, so that one can be changed without a refused request."
        >
          <ClientList />
        </Section>
        <Section
          title="Signed in to the console"
          lead="A sign-in with a token ends when that token does. End closes any of them at once."
        >
          <SessionList />
        </Section>
      </Stack>
    </Page>
  );
}
