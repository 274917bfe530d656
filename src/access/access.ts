import type { Clock } from '../domain/clock.ts';
import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import type { OutboundPolicy } from '../outbound/outbound.ts';
import { createDocumentReader } from '../outbound/outbound.ts';
import type { CredentialRow } from '../store/credentials.ts';
import { noteUse } from '../store/credentials.ts';
import type { Store } from '../store/store.ts';
import type { IssuerKeysDeps } from './assertion/issuer-keys.ts';
import { createIssuerKeys } from './assertion/issuer-keys.ts';
import { createClients, createTokens } from './credentials.ts';
import type { Presented } from './networks.ts';
import { comesFromOwn } from './networks.ts';
import { createProviders } from './providers.ts';
import { findPresentedRow, isSame, toDigest } from './secret-text.ts';
import type { GivenTokens } from './sessions.ts';
import { createSessions, EXACT_MS } from './sessions.ts';

/** The credentials that open one process, and their management. */
export type Access = ReturnType<typeof createAccess>;

interface AccessDeps {
  readonly store: Store;
  /** The store's clock, so that a credential expires for all processes at once. */
  readonly clock: Clock;
  readonly given: GivenTokens;
  /** Receives the error when a use cannot be stored. */
  readonly onFailure: (error: unknown) => void;
  /** Hosts that the keys of issuers may be on. */
  readonly keyHosts: OutboundPolicy;
  readonly events: IssuerKeysDeps['events'];
}

export function createAccess(deps: AccessDeps) {
  const { store, clock, keyHosts, events } = deps;
  let { given } = deps;
  let findGiven = createGivenTokenFinder(given);
  const uses = createUses(deps);
  const reader = createDocumentReader(keyHosts);
  const issuerKeys = createIssuerKeys({ reader, clock, events });
  return {
    /** Finds the credential of a presented token; undefined: unknown, not valid any more, or not from there. @throws StoreError */
    async find(presented: string, res: Presented): Promise<Credential | undefined> {
      const found = findGiven(presented);
      if (found !== undefined) return found;
      // The secret of a client is exchanged for an access token, and a session is presented as a cookie alone.
      const kinds = ['token', 'access'] as const;
      const row = await findPresentedRow(store.read, presented, { kinds, now: clock.now() });
      const credential = row && toCredential(row);
      if (!credential || !comesFromOwn(row, credential.id, res)) return undefined;
      uses.note(row);
      return credential;
    },
    providers: createProviders({ store, clock }),
    tokens: createTokens({ store, clock }),
    clients: createClients({ store, clock }, reader),
    sessions: createSessions({ store, clock, findGiven: () => given }),
    issuerKeys,
    /** True while the settings give identity providers a token. */
    isTokenGiven: () => given.scim.length > 0,
    /** Accepts these tokens of the settings from now on, and no others of them. */
    renew(next: GivenTokens): void {
      given = next;
      findGiven = createGivenTokenFinder(next);
    },
    /** Stores the uses that are not stored yet, and asks no issuer any more. */
    async stop(): Promise<void> {
      issuerKeys.stop();
      await reader.close();
      await uses.stored();
    },
  };
}

/** Finds the credential that a presented token belongs to; undefined: none that is valid. @throws StoreError */
export type FindCredential = Access['find'];

function toCredential({ kind, id, owner, name, purpose, profile, provider }: CredentialRow) {
  const credentialId = kind === 'token' ? `token-${id}` : `client-${owner}`;
  return { id: credentialId, name, purpose, profile, provider };
}

/** Records when credentials were last used, at most once a minute for each; no request waits for it. */
function createUses({ store, clock, onFailure }: AccessDeps) {
  const storing = new Map<string, Promise<void>>();
  return {
    note({ kind, id, owner, last_used_at: lastUsedAt }: CredentialRow): void {
      const now = clock.now();
      if (storing.has(id) || Math.abs(now - Number(lastUsedAt)) < EXACT_MS) return;
      const used = kind === 'access' ? [`access-${id}`, `client-${owner}`] : [`token-${id}`];
      const stored = store
        .write(async (tx) => {
          for (const credential of used) await noteUse(tx, credential, now);
        })
        .catch(onFailure)
        .finally(() => storing.delete(id));
      storing.set(id, stored);
    },
    stored: () => Promise.all(storing.values()),
  };
}

/** Creates a finder of the settings' tokens: `settings-1` is the first of `scim.tokens`. */
function createGivenTokenFinder({ scim, operator, reader }: GivenTokens) {
  const all = [
    ...scim.map((token, index) => toGiven(token, 'scim', `${index + 1}`)),
    toGiven(operator, 'operator', 'operator'),
    toGiven(reader, 'reader', 'reader'),
  ].flat();
  return (presented: string): Credential | undefined => {
    const candidate = toDigest(presented);
    // All of them are compared, so that the time taken says nothing of the tokens.
    return all.filter(({ digest }) => isSame(candidate, digest)).at(-1)?.credential;
  };
}

const GIVEN_NAMES = { scim: 'scim.tokens', operator: 'ops.token', reader: 'ops.readerToken' };

function toGiven(token: string | undefined, purpose: keyof typeof GIVEN_NAMES, place: string) {
  if (token === undefined) return [];
  const name = purpose === 'scim' ? `${GIVEN_NAMES.scim} ${place}` : GIVEN_NAMES[purpose];
  const id = `settings-${place}`;
  const lenient = { profile: 'lenient', provider: DEFAULT_PROVIDER } as const;
  return [{ digest: toDigest(token), credential: { id, name, purpose, ...lenient } }];
}
