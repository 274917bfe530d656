import type { Pending } from '../domain/pending.ts';
import type { Origin } from '../store/schema.ts';
import type { DeleteAdoption } from './deps.ts';
import { ScimError } from './errors.ts';

/** A stored resource, as far as burying it needs to know. */
interface Buriable {
  readonly origin: Origin | null;
  readonly version: number;
}

/** How a resource is buried. */
export interface Burial {
  /** What the service still has to be told. */
  readonly pending: Pending<string>;
  /** Something waits, be it in the row or in its lists of people. */
  readonly isDue: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface TombstoneColumns {
  readonly origin: Origin;
  readonly deleted_at: number;
  readonly version: number;
  readonly modified_at: number;
  readonly pending: string;
  readonly due_at: number | null;
  readonly due_class: 0;
}

/** The columns of a tombstone: in no answer from now on, remembered so that no late read brings it back. */
export function toTombstone(row: Buriable, { pending, isDue, now }: Burial): TombstoneColumns {
  return {
    origin: row.origin ?? 'adopted',
    deleted_at: now,
    version: row.version + 1,
    modified_at: now,
    pending: JSON.stringify(pending),
    due_at: isDue ? now : null,
    // Removal of access goes before everything else.
    due_class: 0,
  };
}

/**
 * Some providers delete whatever they do not know, so a DELETE takes nothing over unless the settings say so.
 * @throws ScimError 403
 */
export function assertAdoptsOnDelete(policy: DeleteAdoption, variable: string): void {
  if (policy === 'yes') return;
  const detail = `Nobody manages it through the bridge, so a DELETE leaves it alone. An operator can adopt it, or set ${variable}=yes.`;
  throw new ScimError(403, detail);
}
