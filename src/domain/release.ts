/**
 * Result of an operator's wish to let a user or group go, without a change in the service.
 * - `unknown`: there is none of this id
 * - `unmanaged`: the bridge only observes it
 * - `waits`: something of it is still to reach the service, or it is not known whether it has
 * - `not-in-service`: the service was not seen to have it, so nothing of it would be left
 * - `ruled`: rules draw on the group, or fill its admins, and would change the service
 */
export type Release =
  | { readonly kind: 'released'; readonly provider: string }
  | { readonly kind: 'unknown' | 'unmanaged' | 'waits' | 'not-in-service' | 'ruled' };
