import {
  CLIENT_REVOKE,
  CLIENT_ROTATE,
  CLIENTS,
  SESSION_REVOKE,
  SESSIONS,
  TOKEN_REVOKE,
  TOKENS,
} from '../../src/ops/lists/access.ts';
import type { Ops } from '../api/types.ts';
import { ListTable } from '../lists/list-page.tsx';
import { RowAct } from '../parts/act.tsx';
import { Secret } from './secret.tsx';

/** Named tokens, never their texts. */
export const TokenList = () => (
  <ListTable list={TOKENS} title="Tokens" topics={['access']} acts={TokenActs} />
);

function TokenActs({ name, revokedAt }: Ops<'Token'>) {
  if (revokedAt !== null) return null;
  return <RowAct act={TOKEN_REVOKE} given={{ id: name }} label="Revoke" subject={name} />;
}

/** OAuth clients with their secrets, never the texts of these. */
export const ClientList = () => (
  <ListTable list={CLIENTS} title="OAuth clients" topics={['access']} acts={ClientActs} />
);

function ClientActs({ name, trust, secrets, revokedAt }: Ops<'Client'>) {
  if (revokedAt !== null) return null;
  const valid = secrets.filter((secret) => secret.revokedAt === null);
  return (
    <div className="tags">
      {trust === null && (
        <RowAct
          {...{ act: CLIENT_ROTATE, given: { id: name }, label: 'Rotate', subject: name }}
          shown={(made, onDone) => <Secret made={made} onDone={onDone} />}
        />
      )}
      {valid.map(({ id: secret }) => (
        <RowAct
          key={secret}
          act={CLIENT_REVOKE}
          given={{ id: name, secret }}
          label={`Revoke ${secret}`}
          subject={`of ${name}`}
        />
      ))}
      <RowAct act={CLIENT_REVOKE} given={{ id: name }} label="Revoke client" subject={name} />
    </div>
  );
}

/** Operators and readers who are signed in. */
export const SessionList = () => (
  <ListTable list={SESSIONS} title="Sessions" topics={['access']} acts={SessionActs} />
);

function SessionActs({ id, name }: Ops<'Session'>) {
  return (
    <RowAct act={SESSION_REVOKE} given={{ id }} label="End" subject={`the session of ${name}`} />
  );
}
