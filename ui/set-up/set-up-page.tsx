import { Group, Loader, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useStatus } from '../api/queries.ts';
import { Words } from '../parts/cell.tsx';
import { CommandLine, Copy, Fault, Page, Section } from '../parts/page.tsx';
import { Checklist } from './checklist.tsx';

/** Steps in the pages of a provider; `{url}` is the base URL. */
const STEPS = {
  entra: [
    'Enterprise applications → New application → Create your own application, “not found in the gallery”.',
    'Provisioning → New configuration. Tenant URL: `{url}`. Secret token: the token of its own.',
    'Test connection. Entra asks for a user who does not exist, and expects an empty list.',
    'Mappings: the defaults work. Everybody needs an e-mail address, in `mail` or as the user name.',
    'Users and groups: assign; then Start provisioning. Entra comes back every 40 minutes; Provision on demand tries one user now.',
  ],
  okta: [
    'General → App Settings → Provisioning: SCIM.',
    'Provisioning → Integration: base URL `{url}`, unique identifier `userName`; tick importing, pushing users, updates and groups.',
    'Authentication Mode: HTTP Header, and the token of its own. Then Test Connector Configuration.',
    'Provisioning → To App: tick Create Users, Update User Attributes, Deactivate Users. Leave Sync Password off.',
    'Assignments for users, Push Groups for groups; the group that assigns and the group that is pushed have to be two.',
  ],
};
const NAMES = { entra: 'Microsoft Entra ID', okta: 'Okta' };
const PROVIDERS = ['entra', 'okta'] as const;

/** Page of the set-up: texts to copy into a provider, and how far it has come. */
export function SetUpPage() {
  const status = useStatus();
  const [provider, setProvider] = useState('entra');
  if (status.error) return <Fault error={status.error} />;
  if (!status.data) return <Loader />;
  const { scimUrl } = status.data;
  return (
    <Page
      title="Set-up"
      lead="What to copy into the identity provider, and what it has done so far."
    >
      <Section title="What to copy" lead="The base URL:">
        <Group gap={4}>
          <code>{scimUrl}</code>
          <Copy text={scimUrl} name="the base URL" />
        </Group>
        <Text size="sm">
          And a token of its own: <Link to="/credentials">make a credential</Link>, or
        </Text>
        <CommandLine text={`scim-bridge token create ${provider} --expires 365d`} />
      </Section>
      <Tabs value={provider} onChange={(tab) => tab && setProvider(tab)} keepMounted={false}>
        <Tabs.List>
          {PROVIDERS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {NAMES[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {PROVIDERS.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <ol>
              {STEPS[name].map((step) => (
                <li key={step}>
                  <Words text={step.replace('{url}', scimUrl)} />
                </li>
              ))}
            </ol>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Checklist />
    </Page>
  );
}
