import type { Owned } from '../../domain/provider.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { Store } from '../../store/store.ts';

/** A user as whoever manages it is shown. */
export interface RenderedUser {
  readonly id: string;
  readonly seq: number;
  /** The version that a provider is shown (`toShownVersion`). */
  readonly version: string;
  /** The whole resource, as JSON text. */
  readonly text: string;
}

type Kept = RenderedUser & { readonly owner: Owned };

/** Characters of the users that are kept: some 15,000 users. */
const CHARS_MAX = 16_000_000;

/** Keeps a user as its owner is shown it. */
export type Keep = (user: RenderedUser, owner: Owned) => void;

/** Users as they were rendered last, until something that they show changes. */
export type KeptUsers = ReturnType<typeof createKeptUsers>;

/** Keeps users of a store that tells which of them change. */
export function createKeptUsers(watchUsers: NonNullable<Store['watchUsers']>) {
  const bySeq = new Map<number, Kept>();
  const seqs = new Map<string, number>();
  let chars = 0;
  let generation = 0;

  function forget({ id, seq, text }: Kept): void {
    seqs.delete(id);
    bySeq.delete(seq);
    chars -= text.length;
  }

  watchUsers((changed) => {
    generation += 1;
    for (const user of [...changed].flatMap((seq) => bySeq.get(seq) ?? [])) forget(user);
  });

  return {
    /** Finds a user by number or id as this provider is shown it; undefined: it is not kept. */
    find(key: number | string, provider: string): RenderedUser | undefined {
      const user = bySeq.get(typeof key === 'number' ? key : (seqs.get(key) ?? 0));
      return user && isOfOther(provider, user.owner) ? undefined : user;
    },
    /** Begins a read. What it finds is kept, in the place of the oldest, unless a user has changed since. */
    beginRead: (): Keep => {
      const readIn = generation;
      return (user, owner) => {
        if (readIn !== generation || bySeq.has(user.seq)) return;
        seqs.set(user.id, user.seq);
        bySeq.set(user.seq, { ...user, owner });
        chars += user.text.length;
        while (chars > CHARS_MAX) bySeq.values().take(1).forEach(forget);
      };
    },
  };
}
