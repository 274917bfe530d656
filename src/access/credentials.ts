import type { Profile, Purpose } from '../domain/credential.ts';
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
  type NewCredential,
  revokeCredential,
} from '../store/credentials/credentials.ts';
import { isProvider } from '../store/credentials/providers.ts';
import type { Db, Store } from '../store/store.ts';
import { toAddress } from './assertion/issuer-keys.ts';
import { Refusal } from './refusal.ts';
import { newSecret } from './secret-text.ts';

/** Dependencies of the credentials of a store. */
interface CredentialsDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Request for a credential. */
interface Wish {
  readonly name: string;
  readonly profile: Profile;
  /** Name of the provider that presents it. */
  readonly provider: string;
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Request for a new token. */
export interface TokenWish extends Wish {
  readonly purpose: Purpose;
  /** In milliseconds; null: no end. */
  readonly validForMs: number | null;
}

/** Request for a new client. */
export interface ClientWish extends Wish {
  /** A secret that it gets, or what its assertions have to say. */
  readonly proof: { readonly validForMs: number } | { readonly trust: Trust };
}

/** A client with its secrets, the oldest first. */
export interface ClientWithSecrets {
  readonly client: CredentialRow;
  readonly secrets: readonly CredentialRow[];
}

/** Named tokens of providers and operators. */
export type Tokens = ReturnType<typeof createTokens>;

/** Keeps the named tokens of a store. */
export function createTokens(deps: CredentialsDeps) {
  const { store, clock } = deps;
  return {
    /** Makes a token; the text is in this answer alone. @throws Refusal */
    async make({ validForMs, by, ...wish }: TokenWish) {
      const { text, ...secret } = newSecret('token');
      const now = clock.now();
      const expires_at = validForMs === null ? null : now + validForMs;
      const token = { ...wish, ...secret, created_at: now, created_by: by, expires_at };
      const row = await store.write((tx) => insertNamed(tx, { ...token, kind: 'token' }));
      return { row, text };
    },
    list: (query: AccessQuery) => listCredentials(store.read, 'token', query),
    /** Ends the token with this id, or the live one with this name. @throws Refusal */
    revoke: (idOrName: string) =>
      end(deps, 'token', idOrName, async (tx, found) => {
        await revokeCredential(tx, found, clock.now());
        return findCredential(tx, 'token', found.id);
      }),
  };
}

/** Secrets of a client that are valid at once: one, and its successor. */
const SECRETS_MAX = 2;

/** Keeps the OAuth clients of a store, which are identity providers, and their secrets. */
export function createClients(
  deps: CredentialsDeps & { readonly reader: Pick<DocumentReader, 'isAllowed'> },
) {
  const { store, clock, reader } = deps;
  return {
    /** Makes a client; without a text it proves itself by assertions. @throws Refusal */
    async make({ proof, by, ...wish }: ClientWish) {
      const trust = 'trust' in proof ? proof.trust : undefined;
      if (trust !== undefined && !isReadable(reader, trust)) {
        throw new Refusal(409, 'host-refused', HOST_REFUSED);
      }
      const now = clock.now();
      const client: NewCredential = {
        ...wish,
        kind: 'client',
        id: newSecret('secret').id,
        purpose: 'scim',
        digest: '',
        proof: trust === undefined ? null : JSON.stringify(trust),
        created_at: now,
        created_by: by,
        expires_at: null,
      };
      return store.write(async (tx) => {
        const row = await insertNamed(tx, client);
        const text = 'trust' in proof ? null : await addSecret(tx, row, { ...proof, by, now });
        return { ...(await readClient(tx, row.id)), text };
      });
    },
    async list(query: AccessQuery): Promise<ClientWithSecrets[]> {
      const clients = await listCredentials(store.read, 'client', query);
      const ids = clients.map(({ id }) => id);
      const secrets = Map.groupBy(await listSecrets(store.read, ids), ({ owner }) => owner);
      return clients.map((client) => ({ client, secrets: secrets.get(client.id) ?? [] }));
    },
    /** Gives the live client with this id or name one more secret, valid for `validForMs`. @throws Refusal */
    rotate(idOrName: string, wish: { readonly validForMs: number; readonly by: string }) {
      const now = clock.now();
      return store.write(async (tx) => {
        const client = await lockCredential(tx, 'client', idOrName);
        if (client === undefined || client.revoked_at !== null) throw unknown('client');
        if (client.proof !== null) throw new Refusal(409, 'no-secrets', NO_SECRETS);
        const secrets = await listSecrets(tx, [client.id]);
        const valid = secrets.filter(
          (one) => one.revoked_at === null && Number(one.expires_at) > now,
        );
        if (valid.length >= SECRETS_MAX) throw new Refusal(409, 'two-secrets', TWO_SECRETS);
        const text = await addSecret(tx, client, { ...wish, now });
        return { ...(await readClient(tx, client.id)), text };
      });
    },
    /** Ends a client, or one of its secrets, with the access tokens that came from it. @throws Refusal */
    revoke: (idOrName: string, secretId: string | undefined) =>
      end(deps, 'client', idOrName, async (tx, client) => {
        const secrets = secretId === undefined ? [] : await listSecrets(tx, [client.id]);
        const isMeant = ({ id }: CredentialRow) => id === secretId?.replace(/^secret-/, '');
        const ended = secretId === undefined ? client : secrets.find(isMeant);
        if (ended === undefined) return undefined;
        await revokeCredential(tx, ended, clock.now());
        return readClient(tx, client.id);
      }),
  };
}

const HOST_REFUSED =
  'OAUTH_KEY_HOSTS does not name the host of the keys, or it is not https: OAUTH_PRIVATE_ADDRESSES has to allow that.';
const NO_SECRETS = 'This client proves itself by assertions and has no secret.';
const TWO_SECRETS = 'Two secrets of this client are valid: revoke one of them first.';
const UNKNOWN = {
  token: 'No token has this id or name.',
  client: 'No client has this id or name, or no such secret.',
};

function unknown(kind: keyof typeof UNKNOWN): Refusal {
  return new Refusal(404, 'not-found', UNKNOWN[kind]);
}

/** Refusal of a credential or a takeover for a provider that is not there. */
export function unknownProvider(): Refusal {
  return new Refusal(404, 'unknown-provider', 'No provider has this name.');
}

/** Adds a token or a client. @throws Refusal where its provider is not there, or a live one has its name */
async function insertNamed(tx: Db, row: NewCredential): Promise<CredentialRow> {
  if (!(await isProvider(tx, row.provider ?? ''))) throw unknownProvider();
  const inserted = await insertCredential(tx, row);
  if (inserted !== undefined) return inserted;
  const message = `Another ${row.kind} has this name: revoke it first, or take another name.`;
  throw new Refusal(409, 'name-taken', message);
}

/** Ends a credential, or a part of it; `act` returns undefined where there is no such part. @throws Refusal */
async function end<Ended>(
  { store, onRevoked }: CredentialsDeps,
  kind: 'token' | 'client',
  idOrName: string,
  act: (tx: Db, found: CredentialRow) => Promise<Ended | undefined>,
): Promise<Ended> {
  const ended = await store.write(async (tx) => {
    const found = await lockCredential(tx, kind, idOrName);
    return found && act(tx, found);
  });
  onRevoked();
  if (ended === undefined) throw unknown(kind);
  return ended;
}

/** True if the keys are stored, or the settings let their address be read. */
function isReadable(
  reader: Pick<DocumentReader, 'isAllowed'>,
  { issuer, keys: source }: Trust,
): boolean {
  return source.kind === 'given' || reader.isAllowed(toAddress({ issuer: issuer ?? '', source }));
}

async function readClient(tx: Db, id: string): Promise<ClientWithSecrets> {
  const client = await findCredential(tx, 'client', id);
  if (client === undefined) throw new BridgeError('bug', `the client ${id} is gone`);
  return { client, secrets: await listSecrets(tx, [id]) };
}

/** Adds a secret; returns its text. */
async function addSecret(
  tx: Db,
  { id: owner, name, purpose, profile, provider }: CredentialRow,
  { validForMs, by, now }: { validForMs: number; by: string; now: number },
): Promise<string> {
  const { text, ...secret } = newSecret('secret');
  const times = { created_at: now, created_by: by, expires_at: now + validForMs };
  const row = { kind: 'secret', owner, name, purpose, profile, provider, ...secret } as const;
  await insertCredential(tx, { ...row, ...times });
  return text;
}
