import { listNamesakes } from '../../store/users/observations.ts';
import { markToLook } from '../mark-to-look.ts';
import type { SweepRun } from './run.ts';

/** Users that one sweep has looked at. */
const LOOKS_MAX = 200;

/**
 * Makes inactive users without a known account due for a look where an unmanaged account has their userName or address:
 * it may be theirs, and then it must not work.
 */
export async function lookAtNamesakes({ deps: { store, clock, notify } }: SweepRun): Promise<void> {
  const marked = await store.write(async (tx) => {
    const ids = await listNamesakes(tx, LOOKS_MAX);
    const keys = ids.map((id) => ({ type: 'user', id }) as const);
    return markToLook(tx, keys, clock.now());
  });
  if (marked.length > 0) notify();
}
