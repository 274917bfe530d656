import type { Profile } from '../domain/credential.ts';
import { BridgeError } from '../domain/errors.ts';
import type { Trust } from '../domain/trust.ts';
import type { DocumentReader } from '../outbound/read-document.ts';
import {
  type AccessQuery,
  type CredentialRow,
  findCredential,
  insertCredential,
  listCredentials,
  listSecrets,
  lockCredential,
  revokeCredential,
} from '../store/credentials/credentials.ts';
import { isProvider } from '../store/credentials/providers.ts';
import type { Db, Store } from '../store/store.ts';
import { toAddress } from './assertion/issuer-keys.ts';
import { newSecret } from './secret-text.ts';

/** Secrets of a client that are valid at once: one, and its successor. */
const SECRETS_MAX = 2;

/** A client with its secrets, the oldest first. */
export interface ClientWithSecrets {
  readonly client: CredentialRow;
  readonly secrets: readonly CredentialRow[];
}

/** Request for a new secret. */
export interface SecretWish {
  /** In milliseconds. */
  readonly validForMs: number;
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Request for a new client. */
export interface ClientWish {
  readonly profile: Profile;
  /** Name of the provider that the client is. */
  readonly provider: string;
  /** A secret that it gets, or what its assertions have to say. */
  readonly proof: { readonly validForMs: number } | { readonly trust: Trust };
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Dependencies of `createClients`. */
interface ClientsDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly reader: Pick<DocumentReader, 'isAllowed'>;
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Keeps the OAuth clients of a store, which are identity providers, and their secrets. */
export function createClients({ store, clock, reader, onRevoked }: ClientsDeps) {
  return {
    /** Makes a client; without a text it proves itself by assertions. */
    async make(name: string, wish: ClientWish) {
      const trust = 'trust' in wish.proof ? wish.proof.trust : undefined;
      if (trust !== undefined && !isReadable(reader, trust))
        return { kind: 'host-refused' } as const;
      return store.write((tx) => make(tx, { name, ...wish, now: clock.now() }));
    },
    async list(query: AccessQuery): Promise<ClientWithSecrets[]> {
      const clients = await listCredentials(store.read, 'client', query);
      const ids = clients.map(({ id }) => id);
      const secrets = Map.groupBy(await listSecrets(store.read, ids), ({ owner }) => owner);
      return clients.map((client) => ({ client, secrets: secrets.get(client.id) ?? [] }));
    },
    /** Gives the live client with this id or name one more secret. */
    async rotate(idOrName: string, wish: SecretWish) {
      const now = clock.now();
      return store.write(async (tx) => {
        const client = await lockCredential(tx, 'client', idOrName);
        if (client === undefined || client.revoked_at !== null) return { kind: 'unknown' } as const;
        if (client.proof !== null) return { kind: 'no-secrets' } as const;
        const secrets = await listSecrets(tx, [client.id]);
        const isValid = (one: CredentialRow) =>
          one.revoked_at === null && Number(one.expires_at) > now;
        if (secrets.filter(isValid).length >= SECRETS_MAX) return { kind: 'too-many' } as const;
        const text = await addSecret(tx, client, { ...wish, now });
        return { kind: 'made', ...(await readClient(tx, client)), text } as const;
      });
    },
    /** Ends a client, or one of its secrets, with the access tokens that came from it; undefined when there is none. */
    async revoke(idOrName: string, secretId: string | undefined) {
      const revoked = await store.write(async (tx) => {
        const client = await lockCredential(tx, 'client', idOrName);
        if (client === undefined) return undefined;
        const id = secretId?.replace(/^secret-/, '');
        const secrets = id === undefined ? [] : await listSecrets(tx, [client.id]);
        const ended = id === undefined ? client : secrets.find((secret) => secret.id === id);
        if (ended === undefined) return undefined;
        await revokeCredential(tx, ended, clock.now());
        return readClient(tx, client);
      });
      onRevoked();
      return revoked;
    },
  };
}

async function make(tx: Db, wish: ClientWish & { readonly name: string; readonly now: number }) {
  const { name, profile, provider, proof, by, now } = wish;
  if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' } as const;
  const client = await insertCredential(tx, {
    kind: 'client',
    id: newSecret('secret').id,
    name,
    purpose: 'scim',
    profile,
    provider,
    digest: '',
    proof: 'trust' in proof ? JSON.stringify(proof.trust) : null,
    created_at: now,
    created_by: by,
    expires_at: null,
  });
  if (client === undefined) return { kind: 'name-taken' } as const;
  const text = 'trust' in proof ? null : await addSecret(tx, client, { ...proof, by, now });
  return { kind: 'made', ...(await readClient(tx, client)), text } as const;
}

/** True if the keys are stored, or the settings let their address be read. */
function isReadable(reader: ClientsDeps['reader'], { issuer, keys: source }: Trust): boolean {
  return source.kind === 'given' || reader.isAllowed(toAddress({ issuer: issuer ?? '', source }));
}

/** Reads a client that is there. */
async function readClient(tx: Db, { id }: CredentialRow): Promise<ClientWithSecrets> {
  const client = await findCredential(tx, 'client', id);
  if (client === undefined) throw new BridgeError('bug', `the client ${id} is gone`);
  return { client, secrets: await listSecrets(tx, [id]) };
}

/** Adds a secret; returns its text. */
async function addSecret(
  tx: Db,
  { id: owner, name, purpose, profile, provider }: CredentialRow,
  { validForMs, by, now }: SecretWish & { now: number },
): Promise<string> {
  const { id, digest, text } = newSecret('secret');
  const times = { created_at: now, created_by: by, expires_at: now + validForMs };
  const row = { kind: 'secret', id, owner, name, purpose, profile, provider, digest } as const;
  await insertCredential(tx, { ...row, ...times });
  return text;
}
