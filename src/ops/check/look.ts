import { UpstreamError } from '../../upstream/errors.ts';

/** One answer of the service, or why there is none. "Could not look" is never taken for an answer. */
export type Look<T> =
  | { readonly kind: 'seen'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: UpstreamError }
  | { readonly kind: 'skipped'; readonly why: string };

/** Asks, and keeps the service's failure as data. @throws what is no failure of the service: a mistake of ours. */
export async function look<T>(ask: () => Promise<T>): Promise<Look<T>> {
  try {
    return { kind: 'seen', value: await ask() };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { kind: 'failed', error };
  }
}

/** A look that there was no reason or no way to take. */
export function skipped(why: string): Look<never> {
  return { kind: 'skipped', why };
}

/** The answer, or undefined when there is none. */
export function findSeen<T>(look: Look<T>): T | undefined {
  return look.kind === 'seen' ? look.value : undefined;
}
