import { type Cells, done, isWaiting, onlyWaiting } from '../domain/cell.ts';
import {
  countAttempts,
  endRest,
  exhaust,
  findNextRetryAt,
  isStuck,
  withoutDeferred,
} from '../domain/failure.ts';

/** State of a user or group, as far as what waits of it is concerned. */
interface WaitingState<Field extends string> {
  readonly cells: Cells<Field>;
  readonly mustLook: boolean;
}

/**
 * Hides the fields that the next step may not change: a stuck one rests until its time, as if it did not wait. `rests`:
 * the resource itself does, so nothing of it is tried, and a stuck one is not looked for either.
 */
export function withoutResting<Field extends string>(
  { cells: all, mustLook }: WaitingState<Field>,
  { existence, now }: { readonly existence: Field; readonly now: number },
): WaitingState<Field> & { readonly rests: boolean } {
  const cells = withoutDeferred(all, now);
  if (!isWaiting(all[existence]) || isWaiting(cells[existence])) {
    return { rests: false, cells, mustLook };
  }
  const isLookedFor = mustLook && !isStuck(all[existence]?.failure);
  return { rests: true, cells: onlyWaiting(all, []), mustLook: isLookedFor };
}

/** The cells after a step: a look is an observation, so that what the service refused is tried again. */
export function toSeenCells<Field extends string>(
  cells: Cells<Field>,
  { planned, now }: { readonly planned: { readonly mustLook: boolean }; readonly now: number },
): Cells<Field> {
  return planned.mustLook ? endRest(cells, now, 'refused') : cells;
}

/** Finds what waits after a step, and since when it fails; `held` are the fields that hold by now. */
export function toLeftCells<Field extends string>(
  asked: Cells<Field>,
  held: readonly Field[],
  { attemptsMax, now }: { readonly attemptsMax: number; readonly now: number },
) {
  const cells = exhaust(done(asked, asked, held), attemptsMax, now);
  return { cells, attempts: countAttempts(cells), retryAt: findNextRetryAt(cells, now) };
}
