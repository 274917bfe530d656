import { Button, CopyButton, Group, Loader, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import { CommandLine } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Checklist } from './checklist.tsx';
import { EntraSteps, OktaSteps } from './steps.tsx';

/** Page of the set-up: texts to copy into a provider, and how far it has come. */
export function SetUpPage() {
  const status = useRead('Status', '/status');
  const [provider, setProvider] = useState('entra');
  if (status.error) return <Fault error={status.error} />;
  if (!status.data) return <Loader />;
  const { scimUrl } = status.data;
  return (
    <Page
      title="Set-up"
      lead="What to copy into the identity provider, and what it has done so far."
    >
      <Section title="What to copy">
        <Group gap="sm">
          <Text size="sm">Base URL</Text>
          <code className="copied">{scimUrl}</code>
          <CopyButton value={scimUrl}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                size="compact-xs"
                onClick={copy}
                aria-label="Copy the base URL"
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Text size="sm">
          And a token of its own: <Link to="/credentials">make a credential</Link>, or
        </Text>
        <CommandLine text={`scim-bridge token create ${provider} --expires 365d`} />
      </Section>
      <Tabs value={provider} onChange={(tab) => tab && setProvider(tab)} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="entra">Microsoft Entra ID</Tabs.Tab>
          <Tabs.Tab value="okta">Okta</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="entra" pt="md">
          <EntraSteps scimUrl={scimUrl} />
        </Tabs.Panel>
        <Tabs.Panel value="okta" pt="md">
          <OktaSteps scimUrl={scimUrl} />
        </Tabs.Panel>
      </Tabs>
      <Checklist />
    </Page>
  );
}
