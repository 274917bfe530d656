import { findSecret, insertAccessToken, noteSecretUse } from '../../store/credentials/clients.ts';
import { noteUse } from '../../store/credentials/tokens.ts';
import { insertUsedAssertion } from '../../store/credentials/used-assertions.ts';
import type { UsedAssertionsTable } from '../../store/schema.ts';
import { type AssertionDeps, proveAssertion } from '../assertion/prove.ts';
import { AssertionRefused } from '../assertion/refused.ts';
import { findPresented, isSame, newSecret } from '../secret-text.ts';
import { OAuthError, TooMany } from './errors.ts';
import { type ClientProof, NO_CLIENT } from './parse-request.ts';

/** Seconds until some of the assertions of a client are over. */
const RETRY_SECONDS = 60;

/** Lifetime of an access token, in milliseconds. */
export const ACCESS_TOKEN_MS = 60 * 60_000;

/** The client that was proven, and by what. */
interface ProvenClient {
  /** Without the beginning `client-`. */
  readonly clientId: string;
  /** null: it was proven by an assertion. */
  readonly secretId: string | null;
  /** Assertion that is taken once, with the access token. */
  readonly used: UsedAssertionsTable | undefined;
}

/**
 * Proves the client. Whatever is wrong with it, its secret or its assertion gets the same answer.
 * @throws OAuthError `invalid_client`; IssuerUnreadable; StoreError
 */
export async function proveClient(deps: AssertionDeps, proof: ClientProof): Promise<ProvenClient> {
  if (proof.kind === 'assertion') return { ...(await proveAssertion(deps, proof)), secretId: null };
  const { store, clock } = deps;
  const presented = findPresented(proof.secret);
  const row = presented && (await findSecret(store.read, presented.id));
  const isRight = presented !== undefined && isSame(presented.digest, row?.digest);
  const isOwn = row !== undefined && proof.clientId === `client-${row.client_id}`;
  if (!isRight || !isOwn || (row.revoked_at ?? row.client_revoked_at) !== null) throw noClient();
  if (row.expires_at <= clock.now()) throw noClient();
  return { secretId: row.id, clientId: row.client_id, used: undefined };
}

function noClient(): OAuthError {
  return new OAuthError('invalid_client', NO_CLIENT);
}

/**
 * Makes an access token for a client; its text is stored nowhere. It ends when the client or its secret is revoked, or
 * when its lifetime is over.
 * @throws AssertionRefused for an assertion that was taken before, by any process on the store; OAuthError; StoreError
 */
export async function issue(
  { store, clock }: AssertionDeps,
  { clientId, secretId, used }: ProvenClient,
): Promise<string> {
  const { id, digest, text } = newSecret('access');
  const now = clock.now();
  await store.write(async (tx) => {
    const taken = used === undefined ? 'new' : await insertUsedAssertion(tx, used, now);
    if (taken === 'used') throw new AssertionRefused('replayed', `client-${clientId}`);
    if (taken === 'full') {
      throw new TooMany('The client has sent too many assertions.', RETRY_SECONDS);
    }
    const times = { created_at: now, expires_at: now + ACCESS_TOKEN_MS };
    await insertAccessToken(tx, { id, client_id: clientId, secret_id: secretId, digest, ...times });
    if (secretId !== null) await noteSecretUse(tx, secretId, now);
    await noteUse(tx, `client-${clientId}`, now);
  });
  return text;
}
