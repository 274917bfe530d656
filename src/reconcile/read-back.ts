import { UpstreamError } from '../upstream/errors.ts';

/**
 * Returns the answer of a call that changes something or, where it has no body, of one look at the same thing.
 * @throws UpstreamError of the call; where the look alone fails, one that says that the effect is unknown.
 */
export async function readBack(
  answer: unknown,
  { operation, look }: { operation: string; look: () => Promise<unknown> },
): Promise<unknown> {
  if (answer !== undefined) return answer;
  try {
    return await look();
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause;
    throw new UpstreamError('unreadable', {
      operation,
      detail: 'the answer has no body, and the look after it failed',
      retry: 'later',
      outcome: 'unknown',
      cause,
    });
  }
}
