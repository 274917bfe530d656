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
interface TokensDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  /** Called after each revocation. */
  readonly onRevoked: () => void;
}

/** Keeps the named tokens of a store. */
export function createTokens({ store, clock, onRevoked }: TokensDeps) {
  return {
    /** Makes a token; the text is in this answer alone. */
    async make({ name, purpose, profile, provider, validForMs, by }: TokenWish) {
      const { id, digest, text } = newSecret('token');
      const now = clock.now();
      return store.write(async (tx) => {
        if (!(await isProvider(tx, provider))) return { kind: 'unknown-provider' } as const;
        const isNew = await insertToken(tx, {
          ...{ id, name, purpose, profile, provider, digest, created_at: now, created_by: by },
          expires_at: validForMs === null ? null : now + validForMs,
          ...{ last_used_at: null, revoked_at: null },
        });
        const row = isNew ? await findToken(tx, id) : undefined;
        return row ? ({ kind: 'made', row, text } as const) : ({ kind: 'name-taken' } as const);
      });
    },
    list: (query: AccessQuery): Promise<TokenRow[]> => listAccess(store.read, 'tokens', query),
    /** Ends the token with this id, or the live one with this name; undefined when there is none. */
    async revoke(idOrName: string): Promise<TokenRow | undefined> {
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
