import type { Owned } from '../../domain/provider.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { Store } from '../../store/store.ts';

/** SCIM representation of a user, for one provider. */
export interface RenderedUser {
  readonly id: string;
  readonly seq: number;
  /** The version that a provider is shown (`toShownVersion`). */
  readonly version: string;
  /** The whole resource, as JSON text. */
  readonly text: string;
}

type Cached = RenderedUser & Owned;

/** Characters of the cached users: some 15,000 users. */
const CHARS_MAX = 16_000_000;

/** Caches a user as the provider sees it that manages it. */
export type Cache = (user: RenderedUser, owner: Owned) => void;

/** Rendered users, each until its representation changes. */
export type UserCache = ReturnType<typeof createUserCache>;

/** Creates the cache of a store that tells which users change. */
export function createUserCache(watchUsers: NonNullable<Store['watchUsers']>) {
  /** Each by its number and by its id. */
  const users = new Map<number | string, Cached>();
  let chars = 0;
  let generation = 0;

  function evict(user: Cached | undefined): void {
    if (user === undefined) return;
    users.delete(user.id);
    users.delete(user.seq);
    chars -= user.text.length;
  }

  watchUsers((changed) => {
    generation += 1;
    for (const seq of changed) evict(users.get(seq));
  });

  return {
    /** Finds a user by number or id, for a provider; undefined: it is not cached. */
    find(key: number | string, provider: string): RenderedUser | undefined {
      const user = users.get(key);
      return user && isOfOther(provider, user) ? undefined : user;
    },
    /** Begins a read. What it finds is cached, and the oldest evicted, unless a user has changed since. */
    beginRead: (): Cache => {
      const readIn = generation;
      return (user, { origin, provider }) => {
        if (readIn !== generation || users.has(user.seq)) return;
        const cached = { ...user, origin, provider };
        users.set(user.seq, cached).set(user.id, cached);
        chars += user.text.length;
        while (chars > CHARS_MAX) evict(users.values().next().value);
      };
    },
  };
}
