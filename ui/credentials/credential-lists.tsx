import { CLIENTS, SESSIONS, TOKENS } from '../../src/ops/lists/access.ts';
import type { Ops } from '../api/types.ts';
import { ListTable } from '../lists/list-page.tsx';
import { RowAct } from './row-act.tsx';

type Client = Ops<'Client'>;

/** Named tokens, never their texts. */
export const TokenList = () => (
  <ListTable list={TOKENS} title="Tokens" topics={['access']} acts={TokenActs} />
);

function TokenActs({ id, name, revokedAt }: Ops<'Token'>) {
  if (revokedAt !== null) return null;
  return (
    <RowAct
      schema="Token"
      label="Revoke"
      subject={name}
      path={`/tokens/${id}/revoke`}
      command={`scim-bridge token revoke ${name}`}
      meaning={`Whoever presents ${name} is refused within five seconds, for ever.`}
    />
  );
}

/** OAuth clients with their secrets, never the texts of these. */
export const ClientList = () => (
  <ListTable list={CLIENTS} title="OAuth clients" topics={['access']} acts={ClientActs} />
);

function ClientActs(client: Client) {
  const { id, name, trust, secrets, revokedAt } = client;
  if (revokedAt !== null) return null;
  const valid = secrets.filter((secret) => secret.revokedAt === null);
  return (
    <div className="tags">
      {trust === null && <RotateSecret id={id} name={name} />}
      {valid.map((secret) => (
        <RevokeSecret key={secret.id} client={client} secret={secret.id} />
      ))}
      <RowAct
        schema="Client"
        label="Revoke client"
        subject={name}
        path={`/clients/${id}/revoke`}
        body={{}}
        command={`scim-bridge client revoke ${name}`}
        meaning={`Ends ${name} with all its secrets and access tokens: the provider is refused until it has another credential.`}
      />
    </div>
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
      label={`Revoke ${secret}`}
      subject={`of ${name}`}
      path={`/clients/${id}/revoke`}
      body={{ secret }}
      command={`scim-bridge client revoke ${name} --secret ${secret}`}
      meaning="Ends this secret alone, with the access tokens that came from it. The other stays valid."
    />
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

/** Operators and readers who are signed in. */
export const SessionList = () => (
  <ListTable list={SESSIONS} title="Sessions" topics={['access']} acts={SessionActs} />
);

function SessionActs({ id, name }: Ops<'Session'>) {
  return (
    <RowAct
      schema="SessionEnded"
      label="End"
      subject={`the session of ${name}`}
      path={`/sessions/${id}/revoke`}
      command={`scim-bridge session revoke ${id}`}
      meaning="Whoever uses it is signed out at once."
    />
  );
}
