import { deleteFact, findFact, lockFact, saveFact } from '../store/facts.ts';
import type { Db } from '../store/store.ts';

/** An operator's word that nothing is to be changed in the service. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Why, in the operator's words. */
  readonly reason: string | null;
}

const PAUSE_FACT = 'writes-paused';
const OBSERVING_FACT = 'observing';

/** The pause that holds, undefined: there is none. */
export async function findPause(db: Db): Promise<Pause | undefined> {
  return findFact<Pause>(db, PAUSE_FACT);
}

/** Pauses from now on; an earlier pause keeps its beginning. */
export async function savePause(tx: Db, { since, reason }: Pause): Promise<Pause> {
  const earlier = await lockFact<Pause>(tx, PAUSE_FACT);
  const value = { since: earlier?.since ?? since, reason };
  await saveFact(tx, { name: PAUSE_FACT, value, now: since });
  return value;
}

/** Ends the pause. */
export async function deletePause(tx: Db): Promise<void> {
  await deleteFact(tx, PAUSE_FACT);
}

/** Whether this store was last used to observe, so that what waits in it was never meant to rush out. */
export async function isObserving(db: Db): Promise<boolean> {
  return (await findFact<object>(db, OBSERVING_FACT)) !== undefined;
}

/** The same, locked until the transaction ends, so that of several processes one goes live. */
export async function lockObserving(tx: Db): Promise<boolean> {
  return (await lockFact<object>(tx, OBSERVING_FACT)) !== undefined;
}

/** Remembers that this store is used to observe. `now` is epoch milliseconds. */
export async function saveObserving(tx: Db, now: number): Promise<void> {
  await saveFact(tx, { name: OBSERVING_FACT, value: { since: now }, now });
}

/** Forgets it: what waited is held in another way, or nothing did. */
export async function endObserving(tx: Db): Promise<void> {
  await deleteFact(tx, OBSERVING_FACT);
}
