import { Group } from '@mantine/core';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { RowAct } from './row-act.tsx';
import { End, OfProvider } from './token-list.tsx';

type Client = Ops<'Client'>;

const columns: readonly Column<Client>[] = [
  {
    title: 'Client',
    grows: true,
    cell: ({ id, name, provider, createdBy }) => (
      <>
        {name}
        <div className="detail">
          <code>{id}</code>, made by {createdBy}
        </div>
        <OfProvider provider={provider} />
      </>
    ),
  },
  { title: 'Last used', isWide: true, cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { title: 'Proven by', cell: (client) => <Proofs client={client} /> },
  { title: <span className="hidden">Act</span>, cell: (client) => <ClientActs client={client} /> },
];

/** OAuth clients with their secrets, never the texts of these. */
export function ClientList() {
  const list = useList('ClientList', '/clients', { topics: ['access'] });
  return (
    <DataTable
      label="OAuth clients"
      columns={columns}
      list={list}
      toKey={({ id }) => id}
      empty="No clients. Entra can use one in place of a token."
    />
  );
}

function Proofs({ client }: { readonly client: Client }) {
  if (client.revokedAt !== null) return <End revokedAt={client.revokedAt} expiresAt={null} />;
  if (client.trust !== null) return <Assertions trust={client.trust} />;
  return client.secrets.map((secret) => (
    <div key={secret.id}>
      <span className="detail">secret, made</span> <Moment at={secret.createdAt} />
      <span className="detail">, ends</span> <End {...secret} />{' '}
      {secret.revokedAt === null && <RevokeSecret client={client} secret={secret.id} />}
    </div>
  ));
}

/** Claims that the assertions of a client without a secret make. */
function Assertions({ trust }: { readonly trust: NonNullable<Client['trust']> }) {
  const { issuer, audiences, claims } = trust;
  const expected = [
    ...(audiences.length === 0 ? [] : [`aud ${audiences.join(' or ')}`]),
    ...claims.map(({ name, values }) => `${name} ${values.join(' or ')}`),
  ];
  return (
    <>
      assertions of {issuer ?? 'its own'}
      <div className="detail">{expected.join(', ')}</div>
    </>
  );
}

function RevokeSecret({
  client: { id, name },
  secret,
}: {
  readonly client: Client;
  readonly secret: string;
}) {
  return (
    <RowAct
      schema="Client"
      label="Revoke"
      subject={`${secret} of ${name}`}
      path={`/clients/${id}/revoke`}
      body={{ secret }}
      command={`scim-bridge client revoke ${name} --secret ${secret}`}
      meaning="Ends this secret alone, with the access tokens that came from it. The other stays valid."
    />
  );
}

function ClientActs({ client: { id, name, trust, revokedAt } }: { readonly client: Client }) {
  if (revokedAt !== null) return null;
  return (
    <Group gap={6} wrap="nowrap">
      {trust === null && <RotateSecret id={id} name={name} />}
      <RowAct
        schema="Client"
        label="Revoke client"
        subject={name}
        path={`/clients/${id}/revoke`}
        body={{}}
        command={`scim-bridge client revoke ${name}`}
        meaning={`Ends ${name} with all its secrets and access tokens: the provider is refused until it has another credential.`}
      />
    </Group>
  );
}

function RotateSecret({ id, name }: Pick<Client, 'id' | 'name'>) {
  return (
    <RowAct
      schema="NewSecret"
      label="Rotate"
      subject={name}
      path={`/clients/${id}/rotate`}
      body={{}}
      command={`scim-bridge client rotate ${name}`}
      meaning="Makes a second secret. The first stays valid until you revoke it, so no request is refused meanwhile."
      secretOf={(answer) => ({ id: answer.id, secret: answer.secret })}
    />
  );
}
