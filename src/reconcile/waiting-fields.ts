import { type Pending, withoutDone } from '../domain/pending.ts';
import {
  countAttempts,
  findNextRetryAt,
  isStuck,
  listFailed,
  onlyWaiting,
  type Stuck,
  withExhausted,
  withoutDeferred,
} from '../domain/stuck.ts';
import { parseStored, parseStuck } from '../store/engine/columns.ts';

/** Columns with the fields of a user or group that wait. */
interface WaitingRow {
  readonly pending: string;
  readonly stuck: string;
}

/** Fields that the next step may change, and what else it begins with. */
interface Triable<Field extends string> {
  readonly pending: Pending<Field>;
  readonly mustLook: boolean;
  readonly failed?: Stuck<Field>;
}

/**
 * Finds the fields that the next step may change: a stuck one rests until its time, as if it did not wait. `rests`: the
 * resource itself does, so nothing of it is tried, and a stuck one is not looked for either.
 */
export function toTriable<Field extends string>(
  { pending: all, mustLook }: Triable<Field>,
  row: WaitingRow,
  { existence, now }: { readonly existence: Field; readonly now: number },
): { readonly rests: boolean; readonly triable: Triable<Field> } {
  const stuck = parseStuck<Field>(row);
  const pending = withoutDeferred(all, stuck, now);
  if (all[existence] !== undefined && pending[existence] === undefined) {
    const isLookedFor = mustLook && !isStuck(stuck[existence]);
    return { rests: true, triable: { pending: {}, mustLook: isLookedFor } };
  }
  const failed = listFailed(stuck, pending);
  const triable = { pending, mustLook, ...(Object.keys(failed).length > 0 && { failed }) };
  return { rests: false, triable };
}

/** Finds what waits after a step that has planned again, and since when it fails; `done` are the fields that hold by now. */
export function toLeftFields<Field extends string>(
  row: WaitingRow,
  done: readonly Field[],
  { attemptsMax, now }: { readonly attemptsMax: number; readonly now: number },
) {
  const asked = parseStored<Pending<Field>>(row.pending);
  const pending = withoutDone(asked, asked, done);
  const stuck = withExhausted(onlyWaiting(parseStuck<Field>(row), pending), attemptsMax, now);
  const attempts = countAttempts(listFailed(stuck, pending));
  return { pending, stuck, attempts, retryAt: findNextRetryAt(pending, stuck, now) };
}
