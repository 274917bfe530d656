/** Answer to a write that would take an account or group over. Settings: users.adopt, groups.adopt. */
export type AdoptionPolicy = 'yes' | 'refuse' | 'ask';

/**
 * Result of an operator's takeover of an account or group.
 * - `managed`: it is the bridge's already
 * - `unknown`: there is no account or group of this id
 * - `taken`: a managed user or group has its name
 * - `privileged`: it is never taken over unless that is said in so many words
 * - `could-not-look`: the service could not tell who administers the group
 */
export type Adoption =
  | { readonly kind: 'adopted' }
  | { readonly kind: 'managed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'privileged'; readonly reason: string }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/**
 * Operator's request to take an account or group over; `privileged` ones are refused unless the request says `adopt`.
 */
export interface AdoptionRequest {
  readonly id: string;
  readonly privileged: 'refuse' | 'adopt';
}
