import type { CredentialRow } from '../../store/credentials.ts';
import { findCredential, lockCredential, noteUse } from '../../store/credentials.ts';
import type { Db } from '../../store/store.ts';
import { insertNew } from '../../store/tables.ts';
import type { AssertionDeps } from '../assertion/assertion.ts';
import { AssertionRefused, proveAssertion } from '../assertion/assertion.ts';
import type { Presented } from '../networks.ts';
import { comesFromOwn } from '../networks.ts';
import { findPresentedRow, newCredential } from '../secret-text.ts';
import type { ClientProof } from './parse-request.ts';
import { noClient } from './parse-request.ts';

/** Lifetime of an access token, in milliseconds. */
export const ACCESS_TOKEN_MS = 60 * 60_000;

type ProvenClient = Awaited<ReturnType<typeof proveClient>>;

/**
 * Proves the client; whatever is wrong gets the same answer. @returns `secretId` null: by an assertion, `used` with the
 * access token @throws Refusal `invalid_client`; IssuerUnreadable; StoreError
 */
export async function proveClient(deps: AssertionDeps, proof: ClientProof, res: Presented) {
  if (proof.kind === 'assertion')
    return { ...(await proveAssertion(deps, proof, res)), secretId: null };
  const { store, clock } = deps;
  const presented = { kinds: ['secret'], now: clock.now() } as const;
  const secret = await findPresentedRow(store.read, proof.secret, presented);
  if (secret === undefined) throw noClient();
  const { id: secretId, owner: clientId } = secret;
  if (clientId === null || proof.clientId !== `client-${clientId}`) throw noClient();
  const client = await getLive(store.read, { clientId, secretId });
  if (!comesFromOwn(client, proof.clientId, res)) throw noClient();
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
    if (used && (await insertNew(tx, 'used_assertions', [used])).length === 0)
      throw new AssertionRefused('replayed', `client-${clientId}`);
    // Locked, so that a revocation sees each token that is made before it.
    await lockCredential(tx, 'client', `client-${clientId}`);
    const client = await getLive(tx, { clientId, secretId });
    const { name, purpose, profile, provider, networks } = client;
    const { row, text } = newCredential('access', {
      owner: clientId,
      proof: secretId,
      name,
      purpose,
      profile,
      provider,
      networks,
      now,
      by: `client-${clientId}`,
      validForMs: ACCESS_TOKEN_MS,
    });
    await insertNew(tx, 'credentials', [row]);
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
