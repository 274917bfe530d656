import { toResourceKey } from '../../domain/ids.ts';
import type { Lock } from '../../reconcile/bounded-wait.ts';
import type { ScimDeps } from '../deps.ts';
import { settleWrite, tellUnchanged } from '../writes/settle.ts';
import type { AcceptedWrite } from '../writes/write-result.ts';
import type { BulkOperation } from './bulk-operation.ts';

/** Most locks that are held for writes of this request before they are settled. */
const HELD_MAX = 64;

/** Writes of one bulk request that are stored and not settled yet. */
export interface Settlements {
  /** Writes that the service may still refuse. */
  readonly size: number;
  /** Adds a stored write. */
  add(operation: BulkOperation, accepted: AcceptedWrite): void;
  /** Waits until these are settled; all of them when left out. */
  settle(operations?: Iterable<BulkOperation>): Promise<void>;
}

/**
 * Settles writes together, so that many changes of one group go to the service in one call. All of
 * them share the wait of the request: when it is over, every call here returns at once.
 */
export function createSettlements(
  deps: ScimDeps,
  arrivedAt: number,
  onRefused: (operation: BulkOperation, error: unknown) => void,
): Settlements {
  const held = new Map<BulkOperation, { readonly accepted: AcceptedWrite; readonly lock: Lock }>();
  const running = new Map<BulkOperation, Promise<void>>();

  async function run(operation: BulkOperation, accepted: AcceptedWrite, lock?: Lock) {
    try {
      await settleWrite(deps, accepted, arrivedAt, lock);
    } catch (error) {
      onRefused(operation, error);
    } finally {
      running.delete(operation);
    }
  }

  function start(): void {
    for (const [operation, { accepted, lock }] of held) {
      running.set(operation, run(operation, accepted, lock));
    }
    held.clear();
  }

  return {
    get size() {
      return held.size + running.size;
    },
    add(operation, accepted) {
      if (accepted.undo === undefined) return tellUnchanged(deps, accepted);
      const lock = deps.reconciler.lock(toResourceKey(accepted), accepted.row);
      // Without the lock another run may be sending the write already: a refusal has to find us waiting.
      if (lock === undefined) running.set(operation, run(operation, accepted));
      else held.set(operation, { accepted, lock });
      if (held.size >= HELD_MAX) start();
    },
    async settle(operations) {
      const awaited = operations ? [...operations] : [...held.keys(), ...running.keys()];
      if (awaited.some((operation) => held.has(operation))) start();
      await Promise.all(awaited.map((operation) => running.get(operation)));
    },
  };
}
