import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';
import type { WritesRefused } from '../upstream/transport.ts';
import { enterMode, type Mode, type ModeChoice, PAUSE, type Pause, savePause } from './mode.ts';

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
   * @throws BridgeError `work-due` when acknowledged changes would be left undone and no setting allows that
   */
  start(onResumed: () => void): Promise<void>;
  stop(): void;
}

/** Options of a guard. */
export interface GuardOptions extends ModeChoice {
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
  whenWorkIsDue,
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
      await enterMode({ store, clock }, { mode, whenWorkIsDue });
      tellResumed = onResumed;
      if (store.engine !== 'sqlite') timer = setInterval(refresh, REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
