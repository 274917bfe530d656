import type { Profile, Purpose } from '../domain/credential.ts';
import {
  type AccessQuery,
  type CredentialRow,
  findCredential,
  insertCredential,
  listCredentials,
  lockCredential,
  revokeCredential,
} from '../store/credentials/credentials.ts';
import { isProvider } from '../store/credentials/providers.ts';
import type { Store } from '../store/store.ts';
import { newSecret } from './secret-text.ts';

/** Request for a new token. */
export interface TokenWish {
  readonly name: string;
  readonly purpose: Purpose;
  readonly profile: Profile;
  /** Name of the provider that presents it. */
  readonly provider: string;
  /** In milliseconds; null: no end. */
  readonly validForMs: number | null;
  /** Id of the credential that asks. */
  readonly by: string;
}

/** Named tokens of providers and operators. */
export type Tokens = ReturnType<typeof createTokens>;

/** Dependencies of `createTokens`. */
export interface TokensDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Keeps the named tokens of a store. */
export function createTokens({ store, clock, onRevoked }: TokensDeps) {
  return {
    /** Makes a token; the text is in this answer alone. */
    async make({ provider, validForMs, by, ...wish }: TokenWish) {
      const { id, digest, text } = newSecret('token');
      const now = clock.now();
      const expiresAt = validForMs === null ? null : now + validForMs;
      const times = { created_at: now, created_by: by, expires_at: expiresAt };
      return store.write(async (tx) => {
        if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' } as const;
        const token = { ...wish, ...times, kind: 'token', id, provider, digest } as const;
        const row = await insertCredential(tx, token);
        if (row === undefined) return { kind: 'name-taken' } as const;
        return { kind: 'made', row, text } as const;
      });
    },
    list: (query: AccessQuery) => listCredentials(store.read, 'token', query),
    /** Ends the token with this id, or the live one with this name; undefined when there is none. */
    async revoke(idOrName: string): Promise<CredentialRow | undefined> {
      const revoked = await store.write(async (tx) => {
        const found = await lockCredential(tx, 'token', idOrName);
        if (found === undefined) return undefined;
        await revokeCredential(tx, found, clock.now());
        return findCredential(tx, 'token', found.id);
      });
      onRevoked();
      return revoked;
    },
  };
}
