import { findSecret, insertAccessToken, noteSecretUse } from '../../store/credentials/clients.ts';
import { noteUse } from '../../store/credentials/tokens.ts';
import { insertUsedAssertion } from '../../store/credentials/used-assertions.ts';
import type { UsedAssertionsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { type AssertionDeps, proveAssertion } from '../assertion/prove.ts';
import { AssertionRefused } from '../assertion/refused.ts';
import { findPresented, isSame, newSecret } from '../secret-text.ts';
import { OAuthError, TooMany } from './errors.ts';
import { type ClientCredentials, type ClientProof, NO_CLIENT } from './parse-request.ts';

/** Seconds until some of the assertions of a client are over. */
const RETRY_SECONDS = 60;

/** Lifetime of an access token, in milliseconds. */
export const ACCESS_TOKEN_MS = 60 * 60_000;

/** A new access token; its text is stored nowhere. */
interface Issued {
  readonly text: string;
}

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
  return { ...(await proveSecret(deps, proof)), used: undefined };
}

async function proveSecret(
  { store, clock }: Pick<AssertionDeps, 'store' | 'clock'>,
  { clientId, secret }: ClientCredentials,
): Promise<Pick<ProvenClient, 'clientId' | 'secretId'>> {
  const presented = findPresented(secret);
  const row = presented && (await findSecret(store.read, presented.id));
  const isRight = presented !== undefined && isSame(presented.digest, row?.digest);
  if (!isRight || row === undefined || clientId !== `client-${row.client_id}`) throw unproven();
  const isOver = row.revoked_at ?? row.client_revoked_at ?? null;
  if (isOver !== null || row.expires_at <= clock.now()) throw unproven();
  return { secretId: row.id, clientId: row.client_id };
}

/**
 * Makes an access token for a client. It ends when the client or its secret is revoked, or when its lifetime is over.
 * @throws AssertionRefused for an assertion that was taken before, by any process on the store; OAuthError; StoreError
 */
export async function issue(
  { store, clock }: AssertionDeps,
  { clientId, secretId, used }: ProvenClient,
): Promise<Issued> {
  const { id, digest, text } = newSecret('access');
  const now = clock.now();
  const ids = { id, client_id: clientId, secret_id: secretId };
  await store.write(async (tx) => {
    if (used !== undefined) await take(tx, used, now);
    const times = { created_at: now, expires_at: now + ACCESS_TOKEN_MS };
    await insertAccessToken(tx, { ...ids, digest, ...times });
    if (secretId !== null) await noteSecretUse(tx, secretId, now);
    await noteUse(tx, `client-${clientId}`, now);
  });
  return { text };
}

async function take(tx: Db, used: UsedAssertionsTable, now: number): Promise<void> {
  const taken = await insertUsedAssertion(tx, used, now);
  if (taken === 'used') throw new AssertionRefused('replayed', `client-${used.client_id}`);
  if (taken === 'full')
    throw new TooMany('The client has sent too many assertions.', RETRY_SECONDS);
}

function unproven(): OAuthError {
  return new OAuthError('invalid_client', NO_CLIENT);
}
