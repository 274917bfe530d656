import { noteUse } from '../store/credentials/credentials.ts';
import type { Store } from '../store/store.ts';

/** Precision of "last used", in milliseconds. */
export const EXACT_MS = 60_000;

/** Dependencies of `createUsage`. */
interface UsageDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: { now(): number };
  /** Receives the error when the store fails; a use a minute later is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/** Records when credentials were last used, at most once a minute for each; no request waits for it. */
export function createUsage({ store, clock, onFailure }: UsageDeps) {
  const usedAt = new Map<string, number>();
  const storing = new Set<Promise<void>>();
  return {
    /** @param id of a credential that the store keeps: `token-…`, `client-…` */
    used(id: string): void {
      const now = clock.now();
      if (Math.abs(now - (usedAt.get(id) ?? 0)) < EXACT_MS) return;
      usedAt.set(id, now);
      const stored = store.write((tx) => noteUse(tx, id, now)).catch(onFailure);
      storing.add(stored);
      void stored.then(() => storing.delete(stored));
    },
    /** Waits until every use is stored. */
    stop: () => Promise.all(storing),
  };
}
