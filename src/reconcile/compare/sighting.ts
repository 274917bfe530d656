import type { DriftKind } from '../../domain/drift.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';

/** What a look at one person or group is to read beside what SCIM says, where that is asked for. */
export interface LookNeeds {
  /** Licences and suspensions of a person. */
  readonly companyUser: boolean;
  /** Who administers a group. */
  readonly admins: boolean;
}

/** What drift of these kinds can only be seen in. */
export function toLookNeeds(kinds: readonly DriftKind[], deactivation: Deactivation): LookNeeds {
  const isSuspension = deactivation === 'temporarilyInactive';
  const isOfCompany = (kind: DriftKind) =>
    kind === 'user.access' ||
    (isSuspension && (kind === 'user.deactivated' || kind === 'user.activated'));
  return {
    companyUser: kinds.some(isOfCompany),
    admins: kinds.some((kind) => kind.startsWith('admin.')),
  };
}

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
