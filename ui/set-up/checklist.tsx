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
  /** Moment at which it was done last; undefined: not yet. */
  readonly at: string | undefined;
}

/** Steps that tick themselves while a provider is connected. */
export function Checklist() {
  const tokens = useRead('TokenList', '/tokens?state=live&limit=1000');
  const clients = useRead('ClientList', '/clients?state=live&limit=1000');
  const [chosen, setChosen] = useState<string>();
  if (!tokens.data || !clients.data) return null;
  const credentials = [
    ...tokens.data.items.filter((token) => token.for === 'scim'),
    ...clients.data.items,
  ].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const credential = credentials.find(({ id }) => id === chosen) ?? credentials[0];
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
      <Steps credential={credential} />
    </Section>
  );
}

interface Credential {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** Requests of each kind that are looked at: another provider's, and those of the other kind, push none of them out. */
const LOOKED_AT = 100;

function Steps({ credential }: { readonly credential: Credential | undefined }) {
  const users = useNewest(credential, 'user');
  const groups = useNewest(credential, 'group');
  if (!users || !groups) return null;
  return (
    <ol className="ticks">
      {toSteps(credential, users, groups).map(({ text, waiting, at }) => (
        <li key={text}>
          {at === undefined ? <Tag tone="quiet" text="waiting" /> : <Tag tone="good" text="done" />}
          <span>
            {text} <span className="detail">{at === undefined ? waiting : <Moment at={at} />}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Newest requests with a credential about users, or about groups; undefined: they are being read. */
function useNewest(
  credential: Credential | undefined,
  type: 'user' | 'group',
): readonly Request[] | undefined {
  const of = `credential=${encodeURIComponent(credential?.id ?? '')}&type=${type}`;
  const { data } = useRead('RequestList', `/requests?${of}&limit=${LOOKED_AT}`, {
    isOn: credential !== undefined,
  });
  return credential === undefined ? [] : data?.items;
}

function toSteps(
  credential: Credential | undefined,
  users: readonly Request[],
  groups: readonly Request[],
): Step[] {
  const [user, group, members] = [
    users.find(isTaken),
    groups.find(isTaken),
    groups.find((request) => isTaken(request) && request.written.some(putsIn)),
  ];
  return [
    {
      text: 'A credential of its own is made.',
      waiting: 'Make one above.',
      at: credential?.createdAt,
    },
    {
      text: 'The provider has presented it, with its test of the connection or after.',
      waiting: 'Waiting for the test of the connection.',
      at: credential?.lastUsedAt ?? [...users, ...groups][0]?.at,
    },
    {
      text: 'It has sent a user.',
      waiting: toWaiting(users, 'Waiting for the first user.'),
      at: user?.at,
    },
    {
      text: 'It has sent a group.',
      waiting: toWaiting(groups, 'Waiting for the first group.'),
      at: group?.at,
    },
    {
      text: 'It has put users into a group.',
      waiting: 'Waiting for the first members.',
      at: members?.at,
    },
  ];
}

function isTaken({ method, status }: Request): boolean {
  return method !== 'GET' && status < 400;
}

function putsIn({ op, path, values }: Request['written'][number]): boolean {
  return path === 'members' && (op === 'set' || op === 'add' || op === 'replace') && values > 0;
}

/** Names the request that is waited for, or says that all were refused so far. */
function toWaiting(requests: readonly Request[], words: string): string {
  const refused = requests.find(({ status }) => status >= 400);
  return refused === undefined
    ? words
    : `Refused so far, with ${refused.status}: the page Requests says why.`;
}
