import type { Db } from '../../store/database.ts';
import type { GroupRow } from '../../store/groups.ts';
import type { UserRow } from '../../store/users.ts';

/**
 * What a look at one person or group showed.
 * - `seen`: stored by `store`, in the transaction that has made sure that the row is still the one that was looked for
 * - `gone`: the service says that there is none
 * - `could-not-look`: nothing is known
 */
export type Sighting<Row extends UserRow | GroupRow> =
  | { readonly kind: 'seen'; readonly store: (tx: Db, row: Row) => Promise<void> }
  | { readonly kind: 'gone' }
  | { readonly kind: 'could-not-look'; readonly reason: string };
