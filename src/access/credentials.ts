import type { Profile, Purpose, Trust } from '../domain/credential.ts';
import { BridgeError, newId } from '../domain/values.ts';
import type { DocumentReader } from '../outbound/outbound.ts';
import type {
  AccessQuery,
  CredentialRow,
  LiveCredential,
  NewCredential,
} from '../store/credentials.ts';
import {
  findCredential,
  isProvider,
  listCredentials,
  listSecrets,
  lockCredential,
  revokeCredential,
} from '../store/credentials.ts';
import type { Db, Store } from '../store/store.ts';
import { insertNew, updateWhere } from '../store/tables.ts';
import { toAddress } from './assertion/issuer-keys.ts';
import { Refusal } from './refusal.ts';
import { newCredential, toGivenSecret } from './secret-text.ts';

interface CredentialsDeps {
  readonly store: Store;
  readonly clock: { now(): number };
}

type Reader = Pick<DocumentReader, 'isAllowed'>;

/** Request for a credential. */
interface Wish {
  readonly name: string;
  readonly profile: Profile;
  /** Name of the provider that presents it. */
  readonly provider: string;
  readonly networks: CredentialRow['networks'];
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Request for a new token. */
export interface TokenWish extends Wish {
  readonly purpose: Purpose;
  /** In milliseconds; null: no end. */
  readonly validForMs: number | null;
  /** SHA-256 of a secret that the operator made, in hex; undefined: the bridge makes one. */
  readonly digest?: string | undefined;
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
export function createTokens({ store, clock }: CredentialsDeps) {
  return {
    /** Makes a token; the text is in this answer alone, and null where a digest was given. @throws Refusal */
    async make({ digest, ...wish }: TokenWish) {
      const { row, text } = newCredential('token', { ...wish, now: clock.now() });
      const given = digest === undefined ? undefined : toGivenSecret(digest);
      const inserted = await store.write((tx) => insertNamed(tx, { ...row, ...given }));
      return { row: inserted, text: given === undefined ? text : null };
    },
    list: (query: AccessQuery) => listCredentials(store.read, 'token', query),
    changeNetworks: createNetworksChange(store, 'token'),
    /** Ends the token with this id, or the live one with this name. @throws Refusal */
    revoke: (idOrName: string) =>
      store.write(async (tx) => {
        const found = await lock(tx, 'token', idOrName);
        await revokeCredential(tx, found, clock.now());
        return get(tx, found);
      }),
  };
}

/** Secrets of a client that are valid at once: one, and its successor. */
const SECRETS_MAX = 2;

/** Keeps the OAuth clients of a store, which are identity providers, and their secrets. */
export function createClients({ store, clock }: CredentialsDeps, reader: Reader) {
  return {
    /** Makes a client; without a text it proves itself by assertions. @throws Refusal */
    make({ proof, by, ...wish }: ClientWish) {
      const trust = 'trust' in proof ? proof.trust : undefined;
      if (trust !== undefined && !isReadable(reader, trust)) {
        throw new Refusal(409, 'host-refused', HOST_REFUSED);
      }
      const now = clock.now();
      return store.write(async (tx) => {
        const client = await insertNamed(tx, {
          ...wish,
          kind: 'client',
          id: newId(),
          purpose: 'scim',
          digest: '',
          proof: trust === undefined ? null : JSON.stringify(trust),
          created_at: now,
          created_by: by,
          expires_at: null,
        });
        const text = 'trust' in proof ? null : await addSecret(tx, client, { ...proof, by, now });
        return { ...(await readClient(tx, client)), text };
      });
    },
    async list(query: AccessQuery): Promise<ClientWithSecrets[]> {
      const clients = await listCredentials(store.read, 'client', query);
      const ids = clients.map(({ id }) => id);
      const secrets = Map.groupBy(await listSecrets(store.read, ids), ({ owner }) => owner);
      return clients.map((client) => ({ client, secrets: secrets.get(client.id) ?? [] }));
    },
    changeNetworks: createNetworksChange(store, 'client'),
    /** Gives the live client with this id or name one more secret, valid for `validForMs`. @throws Refusal */
    rotate(idOrName: string, wish: { readonly validForMs: number; readonly by: string }) {
      const now = clock.now();
      return store.write(async (tx) => {
        const client = await lock(tx, 'client', idOrName);
        if (client.revoked_at !== null) throw unknown('client');
        if (client.proof !== null) throw new Refusal(409, 'no-secrets', NO_SECRETS);
        const secrets = await listSecrets(tx, [client.id]);
        const valid = secrets.filter(
          (one) => one.revoked_at === null && Number(one.expires_at) > now,
        );
        if (valid.length >= SECRETS_MAX) throw new Refusal(409, 'two-secrets', TWO_SECRETS);
        const text = await addSecret(tx, client, { ...wish, now });
        return { ...(await readClient(tx, client)), text };
      });
    },
    /** Ends a client, or one of its secrets, with the access tokens that came from it. @throws Refusal */
    revoke: (idOrName: string, secretId: string | undefined) =>
      store.write(async (tx) => {
        const client = await lock(tx, 'client', idOrName);
        const { secrets } = await readClient(tx, client);
        const isMeant = ({ id }: CredentialRow) => id === secretId?.replace(/^secret-/, '');
        const ended = secretId === undefined ? client : secrets.find(isMeant);
        if (ended === undefined) throw unknown('client');
        await revokeCredential(tx, ended, clock.now());
        return readClient(tx, client);
      }),
  };
}

const HOST_REFUSED =
  'OAUTH_KEY_HOSTS does not name the host of the keys, or it is not https, which needs OAUTH_PRIVATE_ADDRESSES=allow.';
const NO_SECRETS = 'This client proves itself by assertions and has no secret.';
const TWO_SECRETS = 'Two secrets of this client are valid: revoke one of them first.';
const USED = 'A token has or had this secret: make another one.';
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

/** Adds a token or a client. @throws Refusal where its provider is not there, its secret was used, or a live one has its name */
async function insertNamed(tx: Db, row: NewCredential): Promise<CredentialRow> {
  if (!(await isProvider(tx, row.provider ?? ''))) throw unknownProvider();
  if (await findCredential(tx, row.kind, row.id)) throw new Refusal(409, 'secret-used', USED);
  const [inserted] = await insertNew(tx, 'credentials', [row]);
  if (inserted !== undefined) return inserted;
  const message = `Another ${row.kind} has this name: revoke it first, or take another name.`;
  throw new Refusal(409, 'name-taken', message);
}

/** The credential with this id, or the live one with this name, until the transaction ends. @throws Refusal */
async function lock(tx: Db, kind: 'token' | 'client', idOrName: string): Promise<CredentialRow> {
  const found = await lockCredential(tx, kind, idOrName);
  if (found === undefined) throw unknown(kind);
  return found;
}

/** Creates the change of the networks of a live credential, by its id or name, and of the access tokens of a client. */
function createNetworksChange(store: Store, kind: 'token' | 'client') {
  /** @throws Refusal */
  return (idOrName: string, networks: CredentialRow['networks']) =>
    store.write(async (tx) => {
      const before = await lock(tx, kind, idOrName);
      if (before.revoked_at !== null) throw unknown(kind);
      const { id } = before;
      await updateWhere(tx, 'credentials', { kind, id }, { networks });
      await updateWhere(tx, 'credentials', { kind: 'access', owner: id }, { networks });
      return { before, after: { ...before, networks }, secrets: await listSecrets(tx, [id]) };
    });
}

/** True if the keys are stored, or the settings let their address be read. */
function isReadable(reader: Reader, { issuer, keys: source }: Trust): boolean {
  return source.kind === 'given' || reader.isAllowed(toAddress({ issuer: issuer ?? '', source }));
}

/** The credential as it is after a change. */
async function get(tx: Db, { kind, id }: CredentialRow): Promise<CredentialRow> {
  const row = await findCredential(tx, kind, id);
  if (row === undefined) throw new BridgeError('bug', `the ${kind} ${id} is gone`);
  return row;
}

async function readClient(tx: Db, client: CredentialRow): Promise<ClientWithSecrets> {
  return { client: await get(tx, client), secrets: await listSecrets(tx, [client.id]) };
}

/** Adds a secret; returns its text. */
async function addSecret(
  tx: Db,
  { id: owner, name, purpose, profile, provider }: CredentialRow,
  times: { validForMs: number; by: string; now: number },
): Promise<string> {
  const fields = { owner, name, purpose, profile, provider };
  const { row, text } = newCredential('secret', { ...fields, ...times });
  await insertNew(tx, 'credentials', [row]);
  return text;
}

/** Time before an expiry from which on it is reported, in milliseconds. */
const SOON_MS = 30 * 24 * 3_600_000;

/** Named tokens and secrets that end within 30 days or have ended, and are not revoked. */
export function listExpiring(live: readonly LiveCredential[], now: number): LiveCredential[] {
  return live.filter(({ expiresAt }) => expiresAt !== null && expiresAt - now <= SOON_MS);
}

/** True when an identity provider could connect with one of these credentials. `now` is epoch milliseconds. */
export function opensScim(live: readonly LiveCredential[], now: number): boolean {
  return live.some(({ purpose, expiresAt }) => {
    const isValid = expiresAt === null || expiresAt > now;
    return isValid && (purpose === 'scim' || purpose === 'client');
  });
}
