/** A refusal in words that may be shown to an operator and to the provider. */
export interface Refusal {
  /** Stable and short, such as `refused` or `conflict`. */
  readonly code: string;
  /** The service's words, bounded, or ours. */
  readonly words: string;
  /** The HTTP status of the service, when there was an answer. */
  readonly status?: number;
  /** True where the bridge itself is in the way, of which the service has said nothing. */
  readonly ours?: true;
}

/** Refusal by the bridge itself: what it would need is not its own, or not clear. @param words a sentence without its period */
export function toOwnRefusal(words: string) {
  return { code: 'conflict', words, ours: true } as const satisfies Refusal;
}

/** Problem of a change that the service accepted and did not make, in our words: the service has none. */
export const NOT_APPLIED: Refusal = {
  code: 'not-applied',
  words: 'the service accepted the change and still says otherwise',
};

/** Problem of a write that would have taken over somebody whom the service does not have any more. */
export const NOT_THERE: Refusal = {
  code: 'not-there',
  words: 'the service does not have the account any more',
};

/** True where the service accepted a change and did not make it: its next success is looked at before it is believed. */
export function isNotApplied(problem: Refusal | undefined): boolean {
  return problem?.code === NOT_APPLIED.code;
}

/** Beginning of the words of earlier refusals, behind those of a problem. */
export const EARLIER = ' (a change that was accepted before was refused as well: ';

/** `problem` with the words of earlier refusals, each once, which the provider did not get. */
export function withEarlierWords<P extends Refusal>(problem: P, earlier: readonly string[]): P {
  if (earlier.length === 0) return problem;
  const words = [...new Set(earlier)].join('; ');
  return { ...problem, words: `${problem.words}${EARLIER}${words})` };
}
