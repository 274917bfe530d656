import { noteUse } from '../store/credentials/credentials.ts';
import type { Store } from '../store/store.ts';

/** Precision of "last used", in milliseconds. */
export const EXACT_MS = 60_000;
/** Time that uses are gathered before they are stored, in milliseconds. */
const GATHER_MS = 500;

/** Dependencies of `createUsage`. */
interface UsageDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: { now(): number };
  /** Receives the error when the store fails; a use a minute later is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/** Records when credentials were last used: after the answers, at most once a minute for each. */
export function createUsage({ store, clock, onFailure }: UsageDeps) {
  const usedAt = new Map<string, number>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();

  async function storeAll(): Promise<void> {
    timer = undefined;
    const ids = [...waiting];
    waiting.clear();
    if (ids.length === 0) return;
    try {
      await store.write(async (tx) => {
        for (const id of ids) await noteUse(tx, id, usedAt.get(id) ?? 0);
      });
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    /** @param id of a credential that the store keeps: `token-…`, `client-…` */
    used(id: string): void {
      const now = clock.now();
      if (Math.abs(now - (usedAt.get(id) ?? 0)) < EXACT_MS) return;
      usedAt.set(id, now);
      waiting.add(id);
      timer ??= setTimeout(() => {
        storing = storing.then(storeAll);
      }, GATHER_MS).unref();
    },
    /** Stores the uses that are not stored yet. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await storing;
      await storeAll();
    },
  };
}
