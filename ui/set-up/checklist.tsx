import { Select } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';

type Request = Ops<'Request'>;

interface Step {
  readonly text: string;
  readonly waiting: string;
  /** Moment at which it was done; undefined: not yet. */
  readonly at: string | undefined;
}

/** Steps that tick themselves while a provider is connected. */
export function Checklist() {
  const requests = useRead('RequestList', '/requests?limit=1000', { topics: ['requests'] });
  const tokens = useRead('TokenList', '/tokens?state=live&limit=1000', {
    topics: ['access', 'requests'],
  });
  const clients = useRead('ClientList', '/clients?state=live&limit=1000', {
    topics: ['access', 'requests'],
  });
  const [chosen, setChosen] = useState<string>();
  if (!requests.data || !tokens.data || !clients.data) return null;
  const credentials = [
    ...tokens.data.items.filter((token) => token.for === 'scim'),
    ...clients.data.items,
  ].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const credential = credentials.find(({ id }) => id === chosen) ?? credentials[0];
  const steps = toSteps(credential, requests.data.items);
  return (
    <Section title="How far it has come">
      {credentials.length > 1 && (
        <Select
          label="With the credential"
          w={320}
          data={credentials.map(({ id, name }) => ({ value: id, label: name }))}
          value={credential?.id ?? null}
          onChange={(id) => setChosen(id ?? undefined)}
        />
      )}
      <ol className="ticks">
        {steps.map((step) => (
          <li key={step.text}>
            {step.at === undefined ? (
              <Tag tone="quiet" text="waiting" />
            ) : (
              <Tag tone="good" text="done" />
            )}
            <span>
              {step.text}{' '}
              <span className="detail">
                {step.at === undefined ? step.waiting : <Moment at={step.at} />}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface Credential {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** What was done with one credential: another provider's requests tick nothing. */
function toSteps(credential: Credential | undefined, requests: readonly Request[]): Step[] {
  const own = requests.filter((request) => request.credential === credential?.id).toReversed();
  const find = (isIt: (request: Request) => boolean) =>
    own.find((request) => request.status < 400 && isIt(request))?.at;
  return [
    {
      text: 'A credential of its own is made.',
      waiting: 'Make one above.',
      at: credential?.createdAt,
    },
    {
      text: 'The provider has presented it, with its test of the connection or after.',
      waiting: 'Waiting for the test of the connection.',
      at: credential?.lastUsedAt ?? own[0]?.at,
    },
    {
      text: 'It has sent a user.',
      waiting: 'Waiting for the first user.',
      at: find(({ resource, method }) => resource?.type === 'user' && method !== 'GET'),
    },
    {
      text: 'It has sent a group.',
      waiting: 'Waiting for the first group.',
      at: find(({ resource, method }) => resource?.type === 'group' && method !== 'GET'),
    },
    {
      text: 'It has put users into a group.',
      waiting: 'Waiting for the first members.',
      at: find(({ written }) => written.some(({ path }) => path.startsWith('members'))),
    },
  ];
}
