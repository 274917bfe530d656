import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { countDueChanges } from '../store/due.ts';
import { createFact } from '../store/facts.ts';
import type { Db, Store } from '../store/store.ts';

/** Pause by an operator: nothing is changed in the service. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Reason in the operator's words. */
  readonly reason: string | null;
}

/** The pause that holds. */
export const PAUSE = createFact<Pause>('writes-paused');
/**
 * Since when this store is used to observe (epoch milliseconds), so that its pending changes are not sent at once. Whoever
 * ends that locks it, so that of several processes one goes live.
 */
export const OBSERVING = createFact<{ readonly since: number }>('observing');

/** Pauses from now on; an earlier pause keeps its beginning. */
export async function savePause(tx: Db, { since, reason }: Pause): Promise<Pause> {
  const earlier = await PAUSE.lock(tx);
  const value = { since: earlier?.since ?? since, reason };
  await PAUSE.save(tx, value, since);
  return value;
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
    if ((await OBSERVING.lock(tx)) !== undefined) return;
    const due = await countDueChanges(tx, Number.MAX_SAFE_INTEGER, COUNT_MAX);
    if (due > 0 && whenWorkIsDue === 'refuse') throw toWorkDue(due);
    const since = clock.now();
    await OBSERVING.save(tx, { since }, since);
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
