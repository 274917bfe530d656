import { NO_SEAT } from '../domain/seats.ts';
import type { UserField } from '../domain/user.ts';
import type { ReconcileDeps } from './deps.ts';
import { toLater } from './failure.ts';
import type { Outcome } from './outcome.ts';
import { isSectionUp, type ReadableSection } from './sections.ts';
import type { Classified, Verdict } from './verdict.ts';

/** Verdicts of answers that refuse. */
const REFUSALS: ReadonlySet<Verdict> = new Set(['refused', 'conflict', 'forbidden']);

/** Outcome of a call that the service refused for lack of seats; undefined: that was not the reason. */
export async function toSeatWait(
  deps: ReconcileDeps,
  classified: Classified,
  { noSeat, section }: { readonly noSeat: readonly UserField[]; readonly section: ReadableSection },
): Promise<Outcome<never, UserField> | undefined> {
  const { verdict, problem } = classified;
  if (noSeat.length === 0 || !REFUSALS.has(verdict)) return undefined;
  if (!deps.policy.isSeatRefusal(problem)) return undefined;
  // A section that is closed as a whole refuses in the same way.
  if (verdict === 'forbidden' && !(await isSectionUp(deps, section, problem)))
    return toLater(classified);
  return { kind: 'later', problem: { ...problem, code: NO_SEAT }, noSeat };
}
