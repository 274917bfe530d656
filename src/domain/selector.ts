/** Comparison of a moment with the stored one. */
export type MomentOp = 'eq' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * Search that an index can answer. It knows nothing of SCIM; the SCIM filter is translated into it.
 * Texts of `userName`, `email` and `displayName` are folded (`foldCase`), ids are compared as they are.
 * - `email`: any address of the user.
 * - `member`: of groups, those that have this user; of users, those that are in this group.
 * - `lastModified`: epoch milliseconds.
 * - `or` without parts finds nothing, `and` without parts finds all.
 */
export type Selector =
  | { readonly kind: 'id' | 'externalId' | 'member'; readonly op: 'eq'; readonly value: string }
  | {
      readonly kind: 'userName' | 'email' | 'displayName';
      readonly op: 'eq';
      /** Folded. */
      readonly value: string;
    }
  | { readonly kind: 'active'; readonly op: 'eq'; readonly value: boolean }
  | { readonly kind: 'lastModified'; readonly op: MomentOp; readonly value: number }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Selector[] };
