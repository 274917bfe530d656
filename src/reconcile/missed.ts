import type { Missed } from '../domain/missed.ts';
import type { Outcome } from './outcome.ts';

/** A step of a run that ended. */
interface EndedStep {
  readonly outcome: Outcome<{ readonly missing?: true }, unknown>;
  /** The step was a look. */
  readonly isLook: boolean;
}

/**
 * What the next step of a run knows of a "not there", so that looking and writing never go round in a
 * circle: `before` is what the step that ended knew. A change that was made in between asks anew.
 */
export function toMissed(
  before: Missed | undefined,
  { outcome, isLook }: EndedStep,
): Missed | undefined {
  // Nothing else is planned before the look, and a look that finds nothing says so.
  if (outcome.kind === 'unknown' && outcome.lookNow) return 'found';
  if (outcome.kind !== 'done' || before !== 'found') return before;
  if (!isLook) return undefined;
  return outcome.known.missing ? 'gone' : 'found';
}

/** The state that a step is taken with. */
export function withMissed<State extends { readonly missed?: Missed }>(
  state: State,
  missed: Missed | undefined,
): State {
  return missed === undefined ? state : { ...state, missed };
}
