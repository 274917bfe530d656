import { BridgeError } from '../domain/errors.ts';
import { holdLead, type Lead } from '../store/leader.ts';
import type { Db, Store } from '../store/store.ts';

/** Store as the leader writes it. */
export interface LeadersStore extends Store {
  /** Lead that each write proves; undefined: no other process can lead. */
  readonly lead?: Lead;
  /** Runs a transaction whose own statements prove the lead. */
  readonly writeUnproven?: Store['write'];
}

/**
 * The store of the leader: each of its transactions fails once another process leads, so that nothing leaves and nothing
 * is recorded for two. A file has one process, which always leads.
 */
export function toLeadersStore(store: Store, lead: Lead): LeadersStore {
  if (store.engine === 'sqlite') return store;
  return {
    ...store,
    lead,
    write: (work) =>
      store.write(async (tx) => {
        await assertLead(tx, lead);
        return work(tx);
      }),
    writeUnproven: store.write,
  };
}

/**
 * Makes sure that this process leads until the transaction ends. undefined: nothing is left to prove.
 * @throws BridgeError `not-leading`
 */
export async function assertLead(tx: Db, lead: Lead | undefined): Promise<void> {
  if (lead === undefined || (await holdLead(tx, lead))) return;
  throw new BridgeError('not-leading', 'another process leads by now');
}

/** True for the end of a lead: what was begun under it is the next leader's. */
export function isNotLeading(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BridgeError && error.code === 'not-leading') return true;
  return isNotLeading(error.cause);
}
