import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { deleteFact, findFact, lockFact, saveFact } from '../store/facts.ts';
import { countDueChanges } from '../store/lanes.ts';
import type { Db, Store } from '../store/store.ts';

/** Pause by an operator: nothing is changed in the service. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Reason in the operator's words. */
  readonly reason: string | null;
}

const PAUSE_FACT = 'writes-paused';
const OBSERVING_FACT = 'observing';

/** Finds the pause that holds, undefined when there is none. */
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

/** Tells whether this store was last used to observe, so that its pending changes are not sent at once. */
export async function isObserving(db: Db): Promise<boolean> {
  return (await findFact<object>(db, OBSERVING_FACT)) !== undefined;
}

/** Tells the same under a lock until the transaction ends, so that of several processes one goes live. */
export async function lockObserving(tx: Db): Promise<boolean> {
  return (await lockFact<object>(tx, OBSERVING_FACT)) !== undefined;
}

/** Remembers that this store is used to observe. `now` is epoch milliseconds. */
async function saveObserving(tx: Db, now: number): Promise<void> {
  await saveFact(tx, { name: OBSERVING_FACT, value: { since: now }, now });
}

/** Forgets that it was used to observe: its pending changes are held in another way, or there are none. */
export async function endObserving(tx: Db): Promise<void> {
  await deleteFact(tx, OBSERVING_FACT);
}

/** Changes that are counted for the message; more count as this many. */
const COUNT_MAX = 100_000;

/** Mode of the bridge: it changes the service, or only observes it. */
export type Mode = 'live' | 'observe';

/** Choice of how this process treats the service. */
export interface ModeChoice {
  readonly mode: Mode;
  /** Treatment of a live store with pending changes: `refuse` does not start, `hold` keeps them for the next plan. */
  readonly whenWorkIsDue: 'refuse' | 'hold';
}

/**
 * Remembers in the store that it is used to observe, so that its pending changes are not sent at once when it goes
 * live.
 * @throws BridgeError `work-due` when acknowledged changes would be left undone and no setting allows that
 */
export async function enterMode(
  { store, clock }: { store: Store; clock: Clock },
  { mode, whenWorkIsDue }: ModeChoice,
): Promise<void> {
  if (mode === 'live') return; // Changes accepted while observing are held by recovery.
  await store.write(async (tx) => {
    if (await lockObserving(tx)) return;
    const due = await countDueChanges(tx, Number.MAX_SAFE_INTEGER, COUNT_MAX);
    if (due > 0 && whenWorkIsDue === 'refuse') throw toWorkDue(due);
    await saveObserving(tx, clock.now());
  });
}

function toWorkDue(due: number): BridgeError {
  const what = due === 1 ? '1 acknowledged change is' : `${due} acknowledged changes are`;
  return new BridgeError(
    'work-due',
    `${what} not in the service yet, and MODE=observe would leave that so: start with MODE=live until nothing waits, ` +
      'or set OBSERVE_WHEN_WORK_IS_DUE=hold, and it becomes part of the plan of the next MODE=live',
  );
}
