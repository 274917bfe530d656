import { newId } from '../../domain/ids.ts';
import type { Origin } from '../../store/schema.ts';
import type { DeleteAdoption } from '../deps.ts';
import { ScimError } from '../errors.ts';

/** Facts about the deletion of a resource. */
export interface Deletion {
  /** True when anything waits, in the row or in its lists of users. */
  readonly isDue: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The provider that asks, which takes over what nobody manages. */
  readonly provider: string;
}

interface TombstoneColumns {
  readonly origin: Origin;
  readonly provider: string;
  readonly deleted_at: number;
  readonly version: number;
  readonly modified_at: number;
  readonly due_at: number | null;
  readonly due_class: 0;
  readonly write_id: string;
}

/** Columns of a tombstone: in no answer from now on, and kept so that no late read brings the resource back. */
export function toTombstone(
  row: { readonly origin: Origin | null; readonly provider: string; readonly version: number },
  { isDue, now, provider }: Deletion,
): TombstoneColumns {
  return {
    origin: row.origin ?? 'adopted',
    provider: row.origin === null ? provider : row.provider,
    deleted_at: now,
    version: row.version + 1,
    modified_at: now,
    due_at: isDue ? now : null,
    // Removal of access goes before everything else.
    due_class: 0,
    write_id: newId(),
  };
}

/**
 * Stops a DELETE of an unmanaged resource unless the settings let it adopt: some providers delete every
 * resource that they do not know.
 * @throws ScimError 403
 */
export function assertAdoptsOnDelete(policy: DeleteAdoption, variable: string): void {
  if (policy === 'yes') return;
  const detail = `Nobody manages it through the bridge, so a DELETE leaves it alone. An operator can adopt it, or set ${variable}=yes.`;
  throw new ScimError(403, detail);
}
