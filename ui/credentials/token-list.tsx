import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Tag } from '../parts/tag.tsx';
import { RowAct } from './row-act.tsx';

type Token = Ops<'Token'>;

const PURPOSES = {
  scim: 'provider',
  reader: 'reader',
  operator: 'operator',
  metrics: 'metrics',
} as const;

const columns: readonly Column<Token>[] = [
  {
    title: 'Token',
    grows: true,
    cell: ({ name, createdBy }) => (
      <>
        {name}
        <div className="detail">made by {createdBy}</div>
      </>
    ),
  },
  { title: 'For', cell: (token) => <Purpose token={token} /> },
  { title: 'Last used', isWide: true, cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { title: 'Ends', cell: (token) => <End {...token} /> },
  {
    title: <span className="hidden">Act</span>,
    cell: ({ id, name, revokedAt }) =>
      revokedAt === null && (
        <RowAct
          schema="Token"
          label="Revoke"
          subject={name}
          path={`/tokens/${id}/revoke`}
          command={`scim-bridge token revoke ${name}`}
          meaning={`Whoever presents ${name} is refused within five seconds, for ever.`}
        />
      ),
  },
];

function Purpose({ token }: { readonly token: Token }) {
  return (
    <>
      {PURPOSES[token.for]}
      <OfProvider provider={token.provider} />
    </>
  );
}

/** Provider whose credential it is, where it is a named one. */
export function OfProvider({ provider }: { readonly provider: string | null }) {
  return provider === null || provider === DEFAULT_PROVIDER ? null : (
    <div className="detail">{provider}</div>
  );
}

/** Provider of whatever names none. */
export const DEFAULT_PROVIDER = 'default';

/** Named tokens, never their texts. */
export function TokenList() {
  const list = useList('TokenList', '/tokens', { topics: ['access'] });
  return (
    <DataTable
      label="Tokens"
      columns={columns}
      list={list}
      toKey={({ id }) => id}
      empty="No named tokens. Providers and operators may still use those of the settings."
    />
  );
}

/** End of a credential: revoked, over, or when it comes. */
export function End({
  revokedAt,
  expiresAt,
}: {
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
}) {
  if (revokedAt !== null) return <Tag tone="quiet" text="revoked" />;
  if (expiresAt !== null && Date.parse(expiresAt) < Date.now())
    return <Tag tone="bad" text="over" />;
  return <Moment at={expiresAt} />;
}
