import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { countDueChanges } from '../store/due.ts';
import { createFact } from '../store/facts.ts';
import type { Db, Store } from '../store/store.ts';
import type { WritesRefused } from '../upstream/transport.ts';

/** Pause by an operator: nothing is changed in the service. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Reason in the operator's words. */
  readonly reason: string | null;
}

/** The pause that holds. */
const PAUSE = createFact<Pause>('writes-paused');
/**
 * Since when this store is used to observe (epoch milliseconds), so that its pending changes are not sent at once. Whoever
 * ends that locks it, so that of several processes one goes live.
 */
export const OBSERVING = createFact<{ readonly since: number }>('observing');

/** Mode of the bridge: it changes the service, or only observes it. */
export type Mode = 'live' | 'observe';

/** Interval at which a process that shares its store reads the operators' pause, in milliseconds. */
const REFRESH_MS = 1_000;

/** Guard that the transport asks before each call that changes the service. */
export interface WriteGuard {
  readonly mode: Mode;
  /** Finds the reason why nothing may be changed now; undefined when it may. */
  refused(): WritesRefused | undefined;
  /** Finds the pause that holds, undefined when there is none. */
  findPause(): Pause | undefined;
  /** Stops every process on this store from changing the service until an operator resumes. @throws StoreError */
  pause(reason: string | null): Promise<Pause>;
  /** Ends the pause. @throws StoreError */
  resume(): Promise<void>;
  /**
   * Starts before anything runs. `onResumed` is told when changes may be sent again.
   * @throws BridgeError `work-due` when acknowledged changes would be left undone
   */
  start(onResumed: () => void): Promise<void>;
  stop(): void;
}

/** Options of a guard. */
export interface GuardOptions {
  readonly mode: Mode;
  readonly store: Store;
  readonly clock: Clock;
  /** Told when a pause begins to hold in this process, and when it is over. */
  readonly onChange: (change: { paused: boolean }) => void;
}

/** Opens the guard with the stored pause, which a restart obeys. @throws StoreError */
export async function openWriteGuard({
  store,
  clock,
  mode,
  onChange,
}: GuardOptions): Promise<WriteGuard> {
  let held = await PAUSE.find(store.read);
  let changes = 0;
  let tellResumed: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;

  function take(pause: Pause | undefined): void {
    const wasPaused = held !== undefined;
    held = pause;
    changes += 1;
    const paused = pause !== undefined;
    if (paused !== wasPaused) onChange({ paused });
    if (wasPaused && !paused) tellResumed();
  }

  async function refresh(): Promise<void> {
    const before = changes;
    // A failing store is reported by /readyz; the known pause stays.
    const read = await PAUSE.find(store.read).catch(() => held);
    // A change made by this process meanwhile is newer.
    if (changes === before && read?.since !== held?.since) take(read);
  }

  return {
    mode,
    refused() {
      if (mode === 'observe') return 'observe-mode';
      return held === undefined ? undefined : 'writes-paused';
    },
    findPause: () => held,
    async pause(reason) {
      const asked = { since: clock.now(), reason };
      const pause = await store.write((tx) => savePause(tx, asked));
      take(pause);
      return pause;
    },
    async resume() {
      await store.write(PAUSE.delete);
      take(undefined);
    },
    async start(onResumed) {
      await enterMode({ store, clock }, mode);
      tellResumed = onResumed;
      if (store.engine !== 'sqlite') timer = setInterval(refresh, REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** Pauses from now on; an earlier pause keeps its beginning. */
async function savePause(tx: Db, { since, reason }: Pause): Promise<Pause> {
  const earlier = await PAUSE.lock(tx);
  const value = { since: earlier?.since ?? since, reason };
  await PAUSE.save(tx, value, since);
  return value;
}

/** Changes that are counted for the message; more count as this many. */
const COUNT_MAX = 100_000;

/**
 * Remembers in the store that it is used to observe, so that its pending changes are not sent at once when it goes
 * live.
 * @throws BridgeError `work-due` when acknowledged changes would be left undone
 */
async function enterMode(
  { store, clock }: { store: Store; clock: Clock },
  mode: Mode,
): Promise<void> {
  if (mode === 'live') return; // Changes accepted while observing are held by recovery.
  await store.write(async (tx) => {
    if ((await OBSERVING.lock(tx)) !== undefined) return;
    const due = await countDueChanges(tx, Number.MAX_SAFE_INTEGER, COUNT_MAX);
    if (due > 0) throw toWorkDue(due);
    const since = clock.now();
    await OBSERVING.save(tx, { since }, since);
  });
}

function toWorkDue(due: number): BridgeError {
  const what = due === 1 ? '1 acknowledged change is' : `${due} acknowledged changes are`;
  return new BridgeError(
    'work-due',
    `${what} not in the service yet, and MODE=observe would leave that so: start with MODE=live until nothing waits, or use scim-bridge pause`,
  );
}
