import type { Profile } from '../domain/credential.ts';
import { BridgeError } from '../domain/errors.ts';
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
    async make(name: string, { profile, provider, proof, by }: ClientWish) {
      const trust = 'trust' in proof ? proof.trust : undefined;
      if (trust !== undefined && !isReadable(reader, trust))
        return { kind: 'host-refused' } as const;
      const { id } = newSecret('secret');
      const now = clock.now();
      return store.write(async (tx) => {
        if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' } as const;
        const isNew = await insertClient(tx, {
          ...{ id, name, profile, provider, created_at: now, created_by: by },
          trust: trust === undefined ? null : JSON.stringify(trust),
          ...{ last_used_at: null, revoked_at: null },
        });
        if (!isNew) return { kind: 'name-taken' } as const;
        const text = 'trust' in proof ? null : await addSecret(tx, id, { ...proof, by, now });
        return { kind: 'made', ...(await readClient(tx, id)), text } as const;
      });
    },
    async list(query: AccessQuery): Promise<ClientWithSecrets[]> {
      const clients = await listAccess(store.read, 'clients', query);
      const ids = clients.map(({ id }) => id);
      const secrets = Map.groupBy(await listSecrets(store.read, ids), ({ client_id: id }) => id);
      return clients.map((client) => ({ client, secrets: secrets.get(client.id) ?? [] }));
    },
    /** Gives the live client with this id or name one more secret. */
    async rotate(idOrName: string, wish: SecretWish) {
      const now = clock.now();
      return store.write(async (tx) => {
        const client = await lock(tx, idOrName);
        if (client === undefined || client.revoked_at !== null) return { kind: 'unknown' } as const;
        if (client.trust !== null) return { kind: 'no-secrets' } as const;
        const secrets = await listSecrets(tx, [client.id]);
        const valid = secrets.filter((one) => one.revoked_at === null && one.expires_at > now);
        if (valid.length >= SECRETS_MAX) return { kind: 'too-many' } as const;
        const text = await addSecret(tx, client.id, { ...wish, now });
        return { kind: 'made', ...(await readClient(tx, client.id)), text } as const;
      });
    },
    /** Ends a client, or one of its secrets, with the access tokens that came from it; undefined when there is none. */
    async revoke(idOrName: string, secretId: string | undefined) {
      const revoked = await store.write(async (tx) => {
        const client = await lock(tx, idOrName);
        if (client === undefined) return undefined;
        const ended = await revoke(tx, { client, secretId, now: clock.now() });
        return ended ? readClient(tx, client.id) : undefined;
      });
      onRevoked();
      return revoked;
    },
  };
}

/** True if the keys are stored, or the settings let their address be read. */
function isReadable(reader: ClientsDeps['reader'], { issuer, keys: source }: Trust): boolean {
  return source.kind === 'given' || reader.isAllowed(toAddress({ issuer: issuer ?? '', source }));
}

/** The client with this id, revoked or not, or the live one with this name. */
async function lock(tx: Db, idOrName: string): Promise<ClientRow | undefined> {
  const [, id] = /^client-(.*)$/.exec(idOrName) ?? [];
  return id === undefined ? lockClientByName(tx, idOrName) : lockClient(tx, id);
}

/** Ends a client, or one of its secrets; false: it has no such secret. */
async function revoke(
  tx: Db,
  { client, secretId, now }: { client: ClientRow; secretId: string | undefined; now: number },
): Promise<boolean> {
  if (secretId === undefined) {
    await revokeAccess(tx, 'clients', { id: client.id, now });
    return true;
  }
  const id = secretId.replace(/^secret-/, '');
  const isOwn = (await listSecrets(tx, [client.id])).some((secret) => secret.id === id);
  if (isOwn) await revokeAccess(tx, 'client_secrets', { id, now });
  return isOwn;
}

/** Reads a client that was locked. */
async function readClient(tx: Db, id: string): Promise<ClientWithSecrets> {
  const client = await lockClient(tx, id);
  if (client === undefined) throw new BridgeError('bug', `the client ${id} is gone`);
  return { client, secrets: await listSecrets(tx, [id]) };
}

/** Adds a secret; returns its text. */
async function addSecret(
  tx: Db,
  clientId: string,
  { validForMs, by, now }: SecretWish & { now: number },
): Promise<string> {
  const { id, digest, text } = newSecret('secret');
  await insertSecret(tx, {
    ...{ id, client_id: clientId, digest, created_at: now, created_by: by },
    ...{ expires_at: now + validForMs, last_used_at: null, revoked_at: null },
  });
  return text;
}
