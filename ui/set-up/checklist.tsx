import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Moment, Tag } from '../parts/cell.tsx';
import { Section } from '../parts/page.tsx';

type Request = Ops<'Request'>;
type Credential = Pick<Ops<'Token'>, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

/** Steps that tick themselves while a provider is connected with the newest credential. */
export function Checklist() {
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
          {at === undefined ? <Tag tone="quiet" text="waiting" /> : <Tag tone="good" text="done" />}
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
