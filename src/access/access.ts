import { assertNever } from '../domain/errors.ts';
import { findAccessToken } from '../store/access-tokens.ts';
import type { Db, Store } from '../store/database.ts';
import { findToken } from '../store/tokens.ts';
import { type Clients, createClients } from './clients.ts';
import type { FindCredential } from './credential.ts';
import { createGivenTokenFinder, type GivenTokens } from './from-settings.ts';
import { createLookup, type Kept } from './lookup.ts';
import { isSame, type PresentedSecret } from './secret-text.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createUsage } from './usage.ts';

/** The credentials that open one process, and their management. */
export interface Access {
  readonly find: FindCredential;
  readonly tokens: Tokens;
  readonly clients: Clients;
  /** Stores the uses that are not stored yet. */
  stop(): Promise<void>;
}

/** Dependencies of `createAccess`. */
export interface AccessDeps {
  readonly store: Store;
  /** The store's clock, so that a credential expires for all processes at once. */
  readonly clock: { now(): number };
  readonly given: GivenTokens;
  /** Receives the error when a use cannot be stored. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the access of one process. */
export function createAccess({ store, clock, given, onFailure }: AccessDeps): Access {
  const usage = createUsage({ store, clock, onFailure });
  const lookup = createLookup({
    findGiven: createGivenTokenFinder(given),
    load: (presented) => load(store, presented),
    clock,
    used: ({ id }) => usage.used(id),
  });
  return {
    find: lookup.find,
    tokens: createTokens({ store, clock, onRevoked: lookup.forget }),
    clients: createClients({ store, clock, onRevoked: lookup.forget }),
    stop: usage.stop,
  };
}

/** The secret of a client opens nothing by itself: it is exchanged for an access token. */
async function load({ read }: Store, presented: PresentedSecret): Promise<Kept | undefined> {
  switch (presented.kind) {
    case 'token':
      return loadToken(read, presented);
    case 'access':
      return loadAccessToken(read, presented);
    case 'secret':
      return undefined;
    default:
      return assertNever(presented.kind);
  }
}

async function loadToken(db: Db, { id, digest }: PresentedSecret): Promise<Kept | undefined> {
  const row = await findToken(db, id);
  if (!isSame(digest, row?.digest) || row === undefined || row.revoked_at !== null)
    return undefined;
  const { name, purpose, expires_at: expiresAt } = row;
  return { credential: { id: `token-${id}`, name, purpose }, expiresAt };
}

async function loadAccessToken(db: Db, { id, digest }: PresentedSecret): Promise<Kept | undefined> {
  const row = await findAccessToken(db, id);
  if (!isSame(digest, row?.digest) || row === undefined) return undefined;
  const { name, client_id: clientId, expires_at: expiresAt } = row;
  return { credential: { id: `client-${clientId}`, name, purpose: 'scim' }, expiresAt };
}
