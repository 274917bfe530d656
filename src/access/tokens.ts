import type { Profile, Purpose } from '../domain/credential.ts';
import { isProvider } from '../store/credentials/providers.ts';
import {
  type AccessQuery,
  findToken,
  findTokenByName,
  insertToken,
  listAccess,
  revokeAccess,
  type TokenRow,
} from '../store/credentials/tokens.ts';
import type { Store } from '../store/store.ts';
import { newSecret } from './secret-text.ts';

/** Request for a new token. */
interface TokenWish {
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

/** Result of a request; the text is in this answer alone. */
type TokenMaking =
  | { readonly kind: 'made'; readonly row: TokenRow; readonly text: string }
  | { readonly kind: 'name-taken' | 'unknown-provider' };

/** Named tokens of providers and operators. */
export interface Tokens {
  make(wish: TokenWish): Promise<TokenMaking>;
  list(query: AccessQuery): Promise<TokenRow[]>;
  /** Ends the token with this id, or the live one with this name; undefined when there is none. */
  revoke(idOrName: string): Promise<TokenRow | undefined>;
}

/** Dependencies of `createTokens`. */
interface TokensDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Keeps the named tokens of a store. */
export function createTokens({ store, clock, onRevoked }: TokensDeps): Tokens {
  return {
    async make({ name, purpose, profile, provider, validForMs, by }) {
      const { id, digest, text } = newSecret('token');
      const now = clock.now();
      const row = await store.write(async (tx) => {
        if (!(await isProvider(tx, provider))) return 'unknown-provider';
        const isNew = await insertToken(tx, {
          ...{ id, name, purpose, profile, provider, digest, created_at: now, created_by: by },
          expires_at: validForMs === null ? null : now + validForMs,
          ...{ last_used_at: null, revoked_at: null },
        });
        return isNew ? findToken(tx, id) : undefined;
      });
      if (row === 'unknown-provider') return { kind: row };
      return row === undefined ? { kind: 'name-taken' } : { kind: 'made', row, text };
    },
    list: (query) => listAccess(store.read, 'tokens', query),
    async revoke(idOrName) {
      const revoked = await store.write(async (tx) => {
        const [, id] = /^token-(.*)$/.exec(idOrName) ?? [];
        const found =
          id === undefined ? await findTokenByName(tx, idOrName) : await findToken(tx, id);
        if (found === undefined) return undefined;
        await revokeAccess(tx, 'tokens', { id: found.id, now: clock.now() });
        return findToken(tx, found.id);
      });
      onRevoked();
      return revoked;
    },
  };
}
