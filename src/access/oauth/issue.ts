import { findSecret, insertAccessToken, noteSecretUse } from '../../store/credentials/clients.ts';
import { noteUse } from '../../store/credentials/tokens.ts';
import type { Store } from '../../store/store.ts';
import { findPresented, isSame, newSecret } from '../secret-text.ts';
import { OAuthError } from './errors.ts';
import { type ClientCredentials, NO_CLIENT } from './parse-request.ts';

/** Dependencies of `proveClient` and `issue`. */
export interface IssueDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Lifetime of an access token, in milliseconds. */
  readonly lifetimeMs: number;
}

/** A new access token; its text is stored nowhere. */
export interface Issued {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** The secret that was proven, with its client. */
interface ProvenSecret {
  readonly id: string;
  readonly clientId: string;
}

/**
 * Proves the client. Unknown, wrong, expired and revoked secrets get the same answer.
 * @throws OAuthError `invalid_client`; StoreError
 */
export async function proveClient(
  { store, clock }: Pick<IssueDeps, 'store' | 'clock'>,
  { clientId, secret }: ClientCredentials,
): Promise<ProvenSecret> {
  const presented = findPresented(secret);
  const row = presented && (await findSecret(store.read, presented.id));
  const isRight = presented !== undefined && isSame(presented.digest, row?.digest);
  if (!isRight || row === undefined || clientId !== `client-${row.client_id}`) throw unproven();
  const isOver = row.revoked_at ?? row.client_revoked_at ?? null;
  if (isOver !== null || row.expires_at <= clock.now()) throw unproven();
  return { id: row.id, clientId: row.client_id };
}

/**
 * Makes an access token for a secret. It ends when the secret or the client is revoked, or when its lifetime is over.
 */
export async function issue(
  { store, clock, lifetimeMs }: IssueDeps,
  { id: secretId, clientId }: ProvenSecret,
): Promise<Issued> {
  const { id, digest, text } = newSecret('access');
  const now = clock.now();
  const ids = { id, client_id: clientId, secret_id: secretId };
  await store.write(async (tx) => {
    const times = { created_at: now, expires_at: now + lifetimeMs };
    await insertAccessToken(tx, { ...ids, digest, ...times });
    await noteSecretUse(tx, secretId, now);
    await noteUse(tx, `client-${clientId}`, now);
  });
  return { text, lifetimeMs };
}

function unproven(): OAuthError {
  return new OAuthError('invalid_client', NO_CLIENT);
}
