import { BridgeError } from '../domain/errors.ts';
import { holdLead, type Lead } from '../store/leader.ts';
import type { Store } from '../store/store.ts';

/**
 * The store of the leader: each of its transactions fails once another process leads, so that nothing leaves and nothing
 * is recorded for two. A file has one process, which always leads.
 */
export function toLeadersStore(store: Store, lead: Lead): Store {
  if (store.engine === 'sqlite') return store;
  return {
    ...store,
    write: (work) =>
      store.write(async (tx) => {
        if (await holdLead(tx, lead)) return work(tx);
        throw new BridgeError('not-leading', 'another process leads by now');
      }),
  };
}

/** True for the end of a lead: what was begun under it is the next leader's. */
export function isNotLeading(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BridgeError && error.code === 'not-leading') return true;
  return isNotLeading(error.cause);
}
