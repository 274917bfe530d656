/** Answer to a write that would take an account or group over. Settings: users.adopt, groups.adopt. */
export type AdoptionPolicy = 'yes' | 'refuse' | 'ask';

const REFUSALS = {
  unknown: 'Nothing has this id.',
  'unknown-provider': 'There is no provider of this name.',
  managed: 'It is managed by the bridge already.',
  taken: 'Somebody else, whom a provider has sent, has its name or is to have its address.',
} as const;

/**
 * Result of an operator's takeover of an account or group. `privileged`: it is never taken over unless that is said in so
 * many words. `could-not-look`: the service could not tell whether it is privileged.
 */
export type Adoption =
  | { readonly kind: 'adopted' }
  | { readonly kind: keyof typeof REFUSALS }
  | { readonly kind: 'privileged' | 'could-not-look'; readonly reason: string };

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
  return 'reason' in adoption ? adoption.reason : REFUSALS[adoption.kind];
}
