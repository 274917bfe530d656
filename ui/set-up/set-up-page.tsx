import { Group, Loader, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead, useStatus } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Moment, Tag, Words } from '../parts/cell.tsx';
import { CommandLine, Copy, Fault, Page, Section } from '../parts/page.tsx';

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

type Request = Ops<'Request'>;
type Credential = Pick<Ops<'Token'>, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

/** Steps that tick themselves while a provider is connected with the newest credential. */
function Checklist() {
  const tokens = useRead('TokenList', '/tokens?state=live&limit=1000').data?.items;
  const clients = useRead('ClientList', '/clients?state=live&limit=1000').data?.items;
  if (!tokens || !clients) return null;
  const credentials: Credential[] = [...tokens.filter((token) => token.for === 'scim'), ...clients];
  const [newest] = credentials.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <Section title="How far it has come" {...(newest && { lead: `With ${newest.name}.` })}>
      <Steps credential={newest} />
    </Section>
  );
}

function Steps({ credential }: { readonly credential: Credential | undefined }) {
  const users = useNewest(credential, 'user');
  const groups = useNewest(credential, 'group');
  if (!users || !groups) return null;
  const presented = credential?.lastUsedAt ?? [...users, ...groups][0]?.at;
  const join = groups.find((request) => isTaken(request) && request.written.some(putsIn));
  const steps: readonly [text: string, waiting: string, at: string | undefined][] = [
    ['A credential of its own is made.', 'Make one above.', credential?.createdAt],
    ['The provider has presented it.', 'Waiting for the test of the connection.', presented],
    ['It has sent a user.', toWaiting(users, 'user'), users.find(isTaken)?.at],
    ['It has sent a group.', toWaiting(groups, 'group'), groups.find(isTaken)?.at],
    ['It has put users into a group.', 'Waiting for the first members.', join?.at],
  ];
  return (
    <ol className="ticks">
      {steps.map(([text, waiting, at]) => (
        <li key={text}>
          <Tag tone={at ? 'good' : 'quiet'}>{at ? 'done' : 'waiting'}</Tag>
          <span>
            {text} <span className="quiet">{at === undefined ? waiting : <Moment at={at} />}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Requests of each kind that are looked at: another provider's, and those of the other kind, push none of them out. */
const LOOKED_AT = '100';

/** Newest requests with a credential about users, or about groups; undefined: they are being read. */
function useNewest(credential: Credential | undefined, type: 'user' | 'group') {
  const query = { credential: credential?.id, type, limit: LOOKED_AT };
  const isOn = credential !== undefined;
  const { data } = useRead('RequestList', '/requests', { query, isOn });
  return isOn ? data?.items : [];
}

function isTaken({ method, status }: Request): boolean {
  return method !== 'GET' && status < 400;
}

function putsIn({ op, path, values }: Request['written'][number]): boolean {
  return path === 'members' && (op === 'set' || op === 'add' || op === 'replace') && values > 0;
}

/** Names what is waited for, or says that all requests were refused so far. */
function toWaiting(requests: readonly Request[], what: string): string {
  const refused = requests.find(({ status }) => status >= 400);
  return refused === undefined
    ? `Waiting for the first ${what}.`
    : `Refused so far, with ${refused.status}: the page Requests says why.`;
}
