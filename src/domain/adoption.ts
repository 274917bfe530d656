import { assertNever } from './errors.ts';

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
  /** Name of the provider that manages it from then on; its limits do not bind an operator. */
  readonly provider: string;
  /** True: nothing is taken over, and the result is what it would be. */
  readonly isDryRun: boolean;
}

/** Tells why nothing was taken over. */
export function toAdoptionWords(adoption: Exclude<Adoption, { kind: 'adopted' }>): string {
  switch (adoption.kind) {
    case 'unknown':
      return 'Nothing has this id.';
    case 'unknown-provider':
      return 'There is no provider of this name.';
    case 'managed':
      return 'It is managed by the bridge already.';
    case 'taken':
      return 'Somebody else, whom a provider has sent, has its name or is to have its address.';
    case 'privileged':
    case 'could-not-look':
      return adoption.reason;
    default:
      return assertNever(adoption);
  }
}
