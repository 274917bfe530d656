import type { CredentialRow } from '../../store/credentials.ts';
import {
  findCredential,
  insertPassing,
  insertUsedAssertion,
  lockCredential,
  noteUse,
} from '../../store/credentials.ts';
import type { Db } from '../../store/store.ts';
import type { AssertionDeps } from '../assertion/assertion.ts';
import { AssertionRefused, proveAssertion } from '../assertion/assertion.ts';
import { Refusal } from '../refusal.ts';
import { findPresentedRow, newCredential } from '../secret-text.ts';
import type { ClientProof } from './parse-request.ts';
import { noClient } from './parse-request.ts';

/** Seconds until some of the assertions of a client are over. */
const RETRY_SECONDS = 60;

/** Lifetime of an access token, in milliseconds. */
export const ACCESS_TOKEN_MS = 60 * 60_000;

type ProvenClient = Awaited<ReturnType<typeof proveClient>>;

/**
 * Proves the client; whatever is wrong gets the same answer. @returns `secretId` null: by an assertion, `used` with the
 * access token @throws Refusal `invalid_client`; IssuerUnreadable; StoreError
 */
export async function proveClient(deps: AssertionDeps, proof: ClientProof) {
  if (proof.kind === 'assertion') return { ...(await proveAssertion(deps, proof)), secretId: null };
  const { store, clock } = deps;
  const presented = { kinds: ['secret'], now: clock.now() } as const;
  const secret = await findPresentedRow(store.read, proof.secret, presented);
  if (secret === undefined) throw noClient();
  const { id: secretId, owner: clientId } = secret;
  if (clientId === null || proof.clientId !== `client-${clientId}`) throw noClient();
  await getLive(store.read, { clientId, secretId });
  return { secretId, clientId, used: undefined };
}

/**
 * Makes an access token for a client; its text is stored nowhere. @throws AssertionRefused for an assertion that was
 * used before, by any process; Refusal; StoreError
 */
export async function issue(
  { store, clock }: AssertionDeps,
  { clientId, secretId, used }: ProvenClient,
): Promise<string> {
  const now = clock.now();
  return store.write(async (tx) => {
    const taken = used === undefined ? 'new' : await insertUsedAssertion(tx, used, now);
    if (taken === 'used') throw new AssertionRefused('replayed', `client-${clientId}`);
    if (taken === 'full') {
      throw tooMany('The client has sent too many assertions.', RETRY_SECONDS);
    }
    // Locked, so that a revocation sees each token that is made before it.
    await lockCredential(tx, 'client', `client-${clientId}`);
    const { name, purpose, profile, provider } = await getLive(tx, { clientId, secretId });
    const { row, text } = newCredential('access', {
      owner: clientId,
      proof: secretId,
      name,
      purpose,
      profile,
      provider,
      now,
      by: `client-${clientId}`,
      validForMs: ACCESS_TOKEN_MS,
    });
    await insertPassing(tx, row);
    if (secretId !== null) await noteUse(tx, `secret-${secretId}`, now);
    await noteUse(tx, `client-${clientId}`, now);
    return text;
  });
}

/** The client, unless it or its secret was revoked. @throws Refusal `invalid_client` */
async function getLive(
  db: Db,
  { clientId, secretId }: Pick<ProvenClient, 'clientId' | 'secretId'>,
): Promise<CredentialRow> {
  const client = await findCredential(db, 'client', clientId);
  const secret = secretId === null ? undefined : await findCredential(db, 'secret', secretId);
  const isRevoked = client?.revoked_at !== null || (secret?.revoked_at ?? null) !== null;
  if (client === undefined || isRevoked) throw noClient();
  return client;
}

/** Refusal of a client that asks for more than it may have. */
export function tooMany(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'temporarily_unavailable', message, { retryAfterSeconds });
}
