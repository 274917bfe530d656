/**
 * Result of a look after a call of the same run was answered "not there". `found`: the same answer again is a refusal.
 * `gone`: its replacement is not looked for at once again.
 */
export type Missed = 'found' | 'gone';

/** True for a user or group that the service was found not to have since it was last seen. */
export function isGone(
  observed: { readonly at: number; readonly goneAt?: number } | undefined,
): boolean {
  return observed?.goneAt !== undefined && observed.goneAt >= observed.at;
}
