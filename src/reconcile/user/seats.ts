import { hasMoreBits } from '../../domain/mask.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import type { ObservedUser, UserField } from '../../domain/user.ts';
import type { UserActionOf } from '../../plan/actions.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { retryNextForSeat } from '../../store/resources/seats.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toLater } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { isSectionUp, type ReadableSection } from '../sections.ts';
import type { Classified, Verdict } from '../verdict.ts';

/** Time from a refusal for lack of seats to the next attempt, whoever that is for: others may free a seat meanwhile. */
const SEAT_RETRY_MS = 15 * 60_000;

/** Verdicts of answers that refuse. */
const REFUSALS: ReadonlySet<Verdict> = new Set(['refused', 'conflict', 'forbidden']);

/** Fields whose change may take or free a seat. */
const SEAT_FIELDS: ReadonlySet<string> = new Set<UserField>([
  ...(['account', 'active', 'appsPermissions', 'temporarilyInactive'] as const),
]);

/**
 * Outcome of a call that the service refused for lack of seats; undefined: that was not the reason. `noSeat` are the
 * fields of the call that take a seat.
 */
export async function toSeatWait(
  deps: ReconcileDeps,
  classified: Classified,
  { noSeat, section }: { readonly noSeat: readonly UserField[]; readonly section: ReadableSection },
): Promise<Outcome | undefined> {
  const { verdict, problem } = classified;
  if (noSeat.length === 0 || !REFUSALS.has(verdict)) return undefined;
  if (!deps.policy.isSeatRefusal(problem)) return undefined;
  // A section that is closed as a whole refuses in the same way.
  if (verdict === 'forbidden' && !(await isSectionUp(deps, section, problem)))
    return toLater(classified);
  return { kind: 'later', problem: { ...problem, code: NO_SEAT }, noSeat };
}

/** Lists the fields of an action that take a seat: the end of a suspension, and more of a licence. */
export function listSeatFields(
  { appsPermissions = 0, temporarilyInactive, fields }: UserActionOf<'update-company-user'>,
  observed: ObservedUser | undefined,
): UserField[] {
  const isMore = hasMoreBits(appsPermissions, observed?.appsPermissions ?? 0);
  const isResumed = temporarilyInactive === false;
  return fields.filter((field) => (field === 'appsPermissions' ? isMore : isResumed));
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
  const { missing, doneFields = [] } = outcome.known;
  return missing === true || doneFields.some((field) => SEAT_FIELDS.has(field));
}
