/** Comparison of a moment with the stored one. */
export type MomentOp = 'eq' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * Search that an index can answer; names and addresses are folded, times are epoch milliseconds. `or` without parts
 * finds nothing, `and` without parts finds everything.
 */
export type Selector =
  | {
      readonly kind: 'id' | 'externalId' | 'member' | 'userName' | 'email' | 'displayName';
      readonly op: 'eq';
      readonly value: string;
    }
  | { readonly kind: 'active'; readonly op: 'eq'; readonly value: boolean }
  | { readonly kind: 'lastModified'; readonly op: MomentOp; readonly value: number }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Selector[] };
