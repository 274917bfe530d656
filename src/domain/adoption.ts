/** Answer to a write that would take an account or group over. Settings: users.adopt, groups.adopt. */
export type AdoptionPolicy = 'yes' | 'refuse' | 'ask';

const REFUSALS = {
  unknown: 'Nothing has this id.',
  'unknown-provider': 'There is no provider of this name.',
  managed: 'It is managed by the bridge already.',
  taken: 'Somebody else, whom a provider has sent, has its name or is to have its address.',
} as const;

/** Result of a takeover by an operator. `could-not-look`: it could not be found out whether it is privileged. */
export type Adoption =
  | { readonly kind: 'adopted' }
  | { readonly kind: keyof typeof REFUSALS }
  | { readonly kind: 'privileged' | 'could-not-look'; readonly reason: string };

/** Request of an operator to take an account or group over; `privileged` ones only if it says `adopt`. */
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
