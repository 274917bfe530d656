/** Answer to a write that would take an account or group over. Settings: users.adopt, groups.adopt. */
export type AdoptionPolicy = 'yes' | 'refuse' | 'ask';

/**
 * Result of an operator's takeover of an account or group.
 * - `managed`: it is the bridge's already
 * - `unknown`: there is no account or group of this id
 * - `unknown-provider`: there is no provider of this name
 * - `taken`: a managed user or group has its name, or a user is to have its address
 * - `privileged`: it is never taken over unless that is said in so many words
 * - `could-not-look`: the service could not tell whether it is privileged
 */
export type Adoption =
  | { readonly kind: 'adopted' }
  | { readonly kind: 'managed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unknown-provider' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'privileged'; readonly reason: string }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/**
 * Operator's request to take an account or group over; `privileged` ones are refused unless the request says `adopt`.
 */
export interface AdoptionRequest {
  readonly id: string;
  readonly privileged: 'refuse' | 'adopt';
  /** Name of the provider whose it is from then on; its limits do not bind an operator. */
  readonly provider: string;
}
