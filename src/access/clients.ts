import type { Profile } from '../domain/credential.ts';
import type { Trust } from '../domain/trust.ts';
import type { DocumentReader } from '../outbound/read-document.ts';
import {
  type ClientRow,
  insertClient,
  insertSecret,
  listSecrets,
  lockClient,
  lockClientByName,
  type SecretRow,
} from '../store/credentials/clients.ts';
import { isProvider } from '../store/credentials/providers.ts';
import { type AccessQuery, listAccess, revokeAccess } from '../store/credentials/tokens.ts';
import type { Db, Store } from '../store/store.ts';
import { toAddress } from './assertion/issuer-keys.ts';
import { newSecret } from './secret-text.ts';

/** Secrets of a client that are valid at once: one, and its successor. */
const SECRETS_MAX = 2;

/** A client with its secrets, the oldest first. */
export interface ClientWithSecrets {
  readonly client: ClientRow;
  readonly secrets: readonly SecretRow[];
}

/** Request for a new secret. */
interface SecretWish {
  /** In milliseconds. */
  readonly validForMs: number;
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Request for a new client. */
export interface ClientWish {
  readonly profile: Profile;
  /** Name of the provider whose client it is. */
  readonly provider: string;
  /** A secret that it gets, or what its assertions have to say. */
  readonly proof: { readonly validForMs: number } | { readonly trust: Trust };
  /** Id of the credential that asks. */
  readonly by: string;
}

/** A client with a new secret; the text is in this answer alone. */
interface Made extends ClientWithSecrets {
  readonly kind: 'made';
  readonly text: string;
}

/** A new client, which has no secret where it proves itself by assertions. */
interface NewClient extends ClientWithSecrets {
  readonly kind: 'made';
  readonly text: string | null;
}

/** OAuth clients, which are identity providers, and their secrets. */
export interface Clients {
  make(
    name: string,
    wish: ClientWish,
  ): Promise<NewClient | { readonly kind: 'name-taken' | 'unknown-provider' | 'host-refused' }>;
  list(query: AccessQuery): Promise<ClientWithSecrets[]>;
  /** Gives the live client with this id or name one more secret. */
  rotate(
    idOrName: string,
    wish: SecretWish,
  ): Promise<Made | { readonly kind: 'unknown' | 'too-many' | 'no-secrets' }>;
  /** Ends a client, or one of its secrets, with the access tokens that came from it; undefined when there is none. */
  revoke(idOrName: string, secretId: string | undefined): Promise<ClientWithSecrets | undefined>;
}

/** Dependencies of `createClients`. */
interface ClientsDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly reader: Pick<DocumentReader, 'isAllowed'>;
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Keeps the clients of a store. */
export function createClients(deps: ClientsDeps): Clients {
  return {
    make: (name, wish) => make(deps, name, wish),
    async list(query) {
      const { read } = deps.store;
      const clients = await listAccess(read, 'clients', query);
      const ids = clients.map(({ id }) => id);
      const secrets = Map.groupBy(await listSecrets(read, ids), ({ client_id: id }) => id);
      return clients.map((client) => ({ client, secrets: secrets.get(client.id) ?? [] }));
    },
    rotate: (idOrName, wish) => rotate(deps, idOrName, wish),
    async revoke(idOrName, secretId) {
      const revoked = await deps.store.write((tx) =>
        revoke(tx, deps.clock.now(), { idOrName, secretId }),
      );
      deps.onRevoked();
      return revoked;
    },
  };
}

async function make(
  { store, clock, reader }: ClientsDeps,
  name: string,
  { profile, provider, proof, by }: ClientWish,
): ReturnType<Clients['make']> {
  const { id } = newSecret('secret');
  const trust = 'trust' in proof ? proof.trust : undefined;
  const secret = 'trust' in proof ? undefined : { ...newSecret('secret'), ...proof };
  const address = trust && findAddress(trust);
  if (address !== undefined && !reader.isAllowed(address)) return { kind: 'host-refused' };
  const now = clock.now();
  const client = {
    ...{ id, name, profile, provider, created_at: now, created_by: by },
    trust: trust === undefined ? null : JSON.stringify(trust),
  };
  const made = await store.write(async (tx) => {
    if (!(await isProvider(tx, provider))) return 'unknown-provider';
    const isNew = await insertClient(tx, { ...client, last_used_at: null, revoked_at: null });
    if (!isNew) return undefined;
    if (secret !== undefined) {
      const { validForMs } = secret;
      await insertSecret(tx, toRow(secret, { clientId: id, validForMs, by, now }));
    }
    return readClient(tx, id);
  });
  if (made === 'unknown-provider') return { kind: made };
  if (made === undefined) return { kind: 'name-taken' };
  return { kind: 'made', ...made, text: secret?.text ?? null };
}

/** Address that the keys are read at, or found by; undefined: they are stored. */
function findAddress({ issuer, keys: source }: Trust): string | undefined {
  return source.kind === 'given' ? undefined : toAddress({ issuer: issuer ?? '', source });
}

async function rotate(
  { store, clock }: ClientsDeps,
  idOrName: string,
  { validForMs, by }: SecretWish,
): ReturnType<Clients['rotate']> {
  const secret = newSecret('secret');
  const now = clock.now();
  const made = await store.write(async (tx) => {
    const client = await lock(tx, idOrName);
    if (client === undefined || client.revoked_at !== null) return 'unknown';
    if (client.trust !== null) return 'no-secrets';
    const secrets = await listSecrets(tx, [client.id]);
    if (secrets.filter((one) => isValid(one, now)).length >= SECRETS_MAX) return 'too-many';
    await insertSecret(tx, toRow(secret, { clientId: client.id, validForMs, by, now }));
    return readClient(tx, client.id);
  });
  if (made === undefined) return { kind: 'unknown' };
  return typeof made === 'string' ? { kind: made } : { kind: 'made', ...made, text: secret.text };
}

async function revoke(
  tx: Db,
  now: number,
  { idOrName, secretId }: { idOrName: string; secretId: string | undefined },
): Promise<ClientWithSecrets | undefined> {
  const client = await lock(tx, idOrName);
  if (client === undefined) return undefined;
  if (secretId === undefined) {
    await revokeAccess(tx, 'clients', { id: client.id, now });
    return readClient(tx, client.id);
  }
  const id = secretId.replace(/^secret-/, '');
  const secrets = await listSecrets(tx, [client.id]);
  if (!secrets.some((secret) => secret.id === id)) return undefined;
  await revokeAccess(tx, 'client_secrets', { id, now });
  return readClient(tx, client.id);
}

/** The client with this id, revoked or not, or the live one with this name. */
async function lock(tx: Db, idOrName: string): Promise<ClientRow | undefined> {
  const [, id] = /^client-(.*)$/.exec(idOrName) ?? [];
  return id === undefined ? lockClientByName(tx, idOrName) : lockClient(tx, id);
}

async function readClient(tx: Db, id: string): Promise<ClientWithSecrets | undefined> {
  const client = await lockClient(tx, id);
  return client && { client, secrets: await listSecrets(tx, [id]) };
}

function isValid(
  { revoked_at: revokedAt, expires_at: expiresAt }: SecretRow,
  now: number,
): boolean {
  return revokedAt === null && expiresAt > now;
}

function toRow(
  { id, digest }: { id: string; digest: string },
  { clientId, validForMs, by, now }: SecretWish & { clientId: string; now: number },
): SecretRow {
  return {
    id,
    client_id: clientId,
    digest,
    created_at: now,
    created_by: by,
    expires_at: now + validForMs,
    last_used_at: null,
    revoked_at: null,
  };
}
