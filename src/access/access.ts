import type { Clock } from '../domain/clock.ts';
import type { OutboundPolicy } from '../outbound/outbound.ts';
import { createDocumentReader } from '../outbound/read-document.ts';
import type { Store } from '../store/store.ts';
import { createIssuerKeys, type IssuerKeysDeps } from './assertion/issuer-keys.ts';
import { createClients, createTokens } from './credentials.ts';
import {
  createGivenTokenFinder,
  createLookup,
  createUsage,
  type GivenTokens,
  type Kept,
} from './lookup.ts';
import { createProviders } from './providers.ts';
import { findPresentedRow } from './secret-text.ts';
import { createSessions } from './sessions.ts';

/** The credentials that open one process, and their management. */
export type Access = ReturnType<typeof createAccess>;

/** Dependencies of `createAccess`. */
interface AccessDeps {
  readonly store: Store;
  /** The store's clock, so that a credential expires for all processes at once. */
  readonly clock: Clock;
  readonly given: GivenTokens;
  /** Receives the error when a use cannot be stored. */
  readonly onFailure: (error: unknown) => void;
  /** Hosts that the keys of issuers may be on. */
  readonly keyHosts: OutboundPolicy;
  /** Called when the keys of an issuer cannot be read. */
  readonly keysFailed: IssuerKeysDeps['failed'];
}

/** Creates the access of one process. */
export function createAccess({
  store,
  clock,
  onFailure,
  keyHosts,
  keysFailed,
  ...deps
}: AccessDeps) {
  let { given } = deps;
  let findGiven = createGivenTokenFinder(given);
  const usage = createUsage(store, clock, onFailure);
  const reader = createDocumentReader(keyHosts);
  const issuerKeys = createIssuerKeys({ reader, clock, failed: keysFailed });
  const { find, forget: onRevoked } = createLookup({
    findGiven: (presented) => findGiven(presented),
    load: (text) => load(store, text),
    clock,
    used: ({ id }) => usage.used(id),
  });
  return {
    find,
    providers: createProviders({ store, clock }),
    tokens: createTokens({ store, clock, onRevoked }),
    clients: createClients({ store, clock, reader, onRevoked }),
    sessions: createSessions({ store, clock, findGiven: () => given }),
    issuerKeys,
    /** Accepts these tokens of the settings from now on, and no others of them. */
    renew(next: GivenTokens): void {
      given = next;
      findGiven = createGivenTokenFinder(next);
    },
    /** Stores the uses that are not stored yet, and asks no issuer any more. */
    async stop(): Promise<void> {
      issuerKeys.stop();
      await reader.close();
      await usage.stop();
    },
  };
}

/** The secret of a client is exchanged for an access token, and a session is presented as a cookie alone. */
async function load({ read }: Store, text: string): Promise<Kept | undefined> {
  const row = await findPresentedRow(read, text, ['token', 'access']);
  if (row === undefined) return undefined;
  const { kind, id, owner, name, purpose, profile, provider, expires_at: expiresAt } = row;
  const credentialId = kind === 'token' ? `token-${id}` : `client-${owner}`;
  return { credential: { id: credentialId, name, purpose, profile, provider }, expiresAt };
}
