import { noteUse } from '../store/credentials/tokens.ts';
import type { Store } from '../store/store.ts';

/** Precision of "last used", in milliseconds. */
const EXACT_MS = 60_000;
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
export interface Usage {
  /** @param id of a credential that the store keeps: `token-…`, `client-…` */
  used(id: string): void;
  /** Stores the uses that are not stored yet. */
  stop(): Promise<void>;
}

/** Creates the record of one process. It remembers as many uses as there are valid credentials. */
export function createUsage({ store, clock, onFailure }: UsageDeps): Usage {
  const toldAt = new Map<string, number>();
  const waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();

  async function storeAll(): Promise<void> {
    timer = undefined;
    const uses = [...waiting];
    waiting.clear();
    if (uses.length === 0) return;
    try {
      await store.write(async (tx) => {
        for (const [id, at] of uses) await noteUse(tx, id, at);
      });
    } catch (error) {
      // Each credential is tried again after a minute, so that a failing store causes no flood of writes.
      onFailure(error);
    }
  }

  return {
    used(id) {
      const now = clock.now();
      if (Math.abs(now - (toldAt.get(id) ?? 0)) < EXACT_MS) return;
      toldAt.set(id, now);
      waiting.set(id, now);
      timer ??= setTimeout(() => {
        storing = storing.then(storeAll);
      }, GATHER_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      await storing;
      await storeAll();
    },
  };
}
