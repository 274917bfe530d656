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
  if (!requests.data || !tokens.data || !clients.data) return null;
  const credentials = [
    ...tokens.data.items.filter((token) => token.for === 'scim'),
    ...clients.data.items,
  ];
  const steps = toSteps(credentials, requests.data.items);
  return (
    <Section title="How far it has come">
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

function toSteps(
  credentials: readonly { readonly createdAt: string; readonly lastUsedAt: string | null }[],
  requests: readonly Request[],
): Step[] {
  const oldest = requests.toReversed();
  const find = (isIt: (request: Request) => boolean) =>
    oldest.find((request) => request.status < 400 && isIt(request))?.at;
  const used = credentials.map(({ lastUsedAt }) => lastUsedAt).find((at) => at !== null);
  return [
    {
      text: 'A credential of its own is made.',
      waiting: 'Make one above.',
      at: credentials[0]?.createdAt,
    },
    {
      text: 'The provider has presented it, with its test of the connection or after.',
      waiting: 'Waiting for the test of the connection.',
      at: used ?? requests.at(-1)?.at,
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
