import { UpstreamError } from '../upstream/errors.ts';

/**
 * Returns the answer of a call that changes something or, where it does not tell enough, the result of one look.
 * @throws UpstreamError of the call; where the look alone fails, one that says that the effect is unknown.
 */
export async function readBack<Answer>(
  answer: Answer | undefined,
  look: () => Promise<Answer>,
): Promise<Answer> {
  if (answer !== undefined) return answer;
  try {
    return await look();
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause;
    throw new UpstreamError('unreadable', {
      operation: cause.operation,
      detail: 'the answer does not tell, and the look after it failed',
      retry: 'later',
      outcome: 'unknown',
      cause,
    });
  }
}
