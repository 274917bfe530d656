import { hasMoreBits } from '../../domain/mask.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import type { ObservedUser, UserField, UserState } from '../../domain/user.ts';
import { type Fact, listFields } from '../../plan/step.ts';
import { retryNextForSeat } from '../../store/resources/backlog.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toLater } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { isSectionUp, type ReadableSection } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import type { Classified, Verdict } from '../verdict.ts';

/** Time from a refusal for lack of seats to the next attempt, whoever that is for: others may free a seat meanwhile. */
const SEAT_RETRY_MS = 15 * 60_000;

/** Verdicts of answers that refuse. */
const REFUSALS: ReadonlySet<Verdict> = new Set(['refused', 'conflict', 'forbidden']);

/** Fields whose change may take or free a seat. */
const SEAT_FIELDS: ReadonlySet<string> = new Set<UserField>([
  ...(['account', 'active', 'appsPermissions', 'temporarilyInactive'] as const),
]);

/** Outcome of a call that the service refused for lack of seats; undefined: that was not the reason. */
export async function toSeatWait(
  { deps, state, step }: StepCall<UserState>,
  failed: Classified,
  section: ReadableSection,
): Promise<Outcome | undefined> {
  const { verdict, problem } = failed;
  const noSeat = step.facts.filter((fact) => takesSeat(fact, state.observed));
  if (noSeat.length === 0 || !REFUSALS.has(verdict)) return undefined;
  if (!deps.policy.isSeatRefusal(problem)) return undefined;
  // A section that is closed as a whole refuses in the same way.
  if (verdict === 'forbidden' && !(await isSectionUp(deps, section, problem))) {
    return toLater(failed);
  }
  const parts = noSeat.map(({ part }) => part);
  return { kind: 'later', problem: { ...problem, code: NO_SEAT }, noSeat: parts };
}

/** True for a change that takes a seat: a new account, an activation, the end of a suspension, more of a licence. */
function takesSeat({ part, values = {} }: Fact, observed: ObservedUser | undefined): boolean {
  const { active, temporarilyInactive, appsPermissions = 0 } = values;
  if (part === 'account' || active === true || temporarilyInactive === false) return true;
  return hasMoreBits(appsPermissions, observed?.appsPermissions ?? 0);
}

/** A step of a user that ended. */
interface Ended {
  /** The row before it. */
  readonly original: UserRow;
  readonly outcome: Outcome;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Has the next of those tried who wait for a seat: now, where this step may have freed or given one or its user waits no
 * more; after a time, where it was refused one. It begins with whose last attempt is longest ago, so that somebody whom
 * the service never seats holds up nobody.
 */
export async function followSeats(
  tx: Db,
  { original, outcome, now }: Ended,
  saved: UserRow,
): Promise<void> {
  if (outcome.kind === 'later' && outcome.noSeat !== undefined)
    return retryNextForSeat(tx, now + SEAT_RETRY_MS);
  const waitsNoMore = original.seat_since !== null && saved.seat_since === null;
  if (waitsNoMore || mayFreeSeat(outcome)) await retryNextForSeat(tx, now);
}

function mayFreeSeat(outcome: Outcome): boolean {
  if (outcome.kind !== 'done') return false;
  const { missing, done = [] } = outcome.known;
  return missing === true || listFields(done).some((field) => SEAT_FIELDS.has(field));
}
