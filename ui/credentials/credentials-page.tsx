import { Group, Stack } from '@mantine/core';
import { access } from '../../src/ops/lists/access.ts';
import { useIsOperator } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { ListTable, toTable } from '../lists/list-page.tsx';
import { Act } from '../parts/act.tsx';
import { Page, Section } from '../parts/page.tsx';
import { MakeCredential, Secret } from './make-credential.tsx';

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
          <ListTable {...toTable(access.TOKENS)} acts={TokenActs} />
        </Section>
        <Section
          title="OAuth clients"
          lead="Providers that exchange a secret for access tokens. Two secrets may be valid at once, so that one can be changed without a refused request."
        >
          <ListTable {...toTable(access.CLIENTS)} acts={ClientActs} />
        </Section>
        <Section
          title="Signed in to the console"
          lead="A sign-in with a token ends when that token does. End closes any of them at once."
        >
          <ListTable {...toTable(access.SESSIONS)} acts={SessionActs} />
        </Section>
      </Stack>
    </Page>
  );
}

function TokenActs({ name, revokedAt }: Ops<'Token'>) {
  if (revokedAt !== null) return null;
  return (
    <Act act={access.TOKEN_REVOKE} given={{ id: name }} label="Revoke" subject={name} isDangerous />
  );
}

function ClientActs({ name, trust, secrets, revokedAt }: Ops<'Client'>) {
  if (revokedAt !== null) return null;
  const valid = secrets.filter((secret) => secret.revokedAt === null);
  return (
    <Group gap={4}>
      {trust === null && (
        <Act
          act={access.CLIENT_ROTATE}
          given={{ id: name }}
          label="Rotate"
          subject={name}
          shown={(made) => <Secret made={made} />}
        />
      )}
      {valid.map(({ id: secret }) => (
        <Act
          key={secret}
          act={access.CLIENT_REVOKE}
          given={{ id: name, secret }}
          label={`Revoke ${secret}`}
          subject={`of ${name}`}
          isDangerous
        />
      ))}
      <Act
        act={access.CLIENT_REVOKE}
        given={{ id: name }}
        label="Revoke client"
        subject={name}
        isDangerous
      />
    </Group>
  );
}

function SessionActs({ id, name }: Ops<'Session'>) {
  return (
    <Act
      act={access.SESSION_REVOKE}
      given={{ id }}
      label="End"
      subject={`the session of ${name}`}
      isDangerous
    />
  );
}
