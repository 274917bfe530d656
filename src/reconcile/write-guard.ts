import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/values.ts';
import { countDueChanges } from '../store/due.ts';
import type { Store } from '../store/store.ts';
import { createShared } from '../store/tables.ts';
import type { WritesRefused } from '../upstream/transport.ts';

/** Pause by an operator: nothing is changed in the service. */
export interface Pause {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Reason in the operator's words. */
  readonly reason: string | null;
}

/** The pause that holds. */
const PAUSE = createShared<Pause>('writes-paused');
/** Since when this store is used to observe (epoch milliseconds). */
export const OBSERVING = createShared<{ readonly since: number }>('observing');

/** Interval of reading the pause again where processes share the store, in milliseconds. */
const REFRESH_MS = 1_000;

/** Mode of the bridge: it changes the service, or only observes it. */
export type Mode = 'live' | 'observe';

/** Opens the guard that the transport asks before each call that changes the service, with the stored pause, which a restart obeys. @param onChange called in each process @throws StoreError */
export async function openWriteGuard(options: {
  readonly mode: Mode;
  readonly store: Store;
  readonly clock: Clock;
  readonly onChange: (change: { paused: boolean }) => void;
}) {
  const { store, clock, mode, onChange } = options;
  let known = await PAUSE.find(store.read);
  let timer: NodeJS.Timeout | undefined;

  function follow(pause: Pause | undefined): void {
    const [was, paused] = [known !== undefined, pause !== undefined];
    known = pause;
    if (was === paused) return;
    onChange({ paused });
    if (!paused) store.bell.ring('due');
  }

  /** What is known stays while the store does not answer, and where this process has changed it meanwhile. */
  async function refresh(): Promise<void> {
    const before = known;
    const pause = await PAUSE.find(store.read).catch(() => before);
    if (known === before) follow(pause);
  }

  return {
    mode,
    refused(): WritesRefused | undefined {
      if (mode === 'observe') return 'observe-mode';
      return known === undefined ? undefined : 'writes-paused';
    },
    findPause: () => known,
    /** Stops every process on this store from changing the service until an operator resumes. @throws StoreError */
    async pause(reason: string | null): Promise<Pause> {
      const now = clock.now();
      // An earlier pause keeps its beginning.
      const pause = await store.write((tx) =>
        PAUSE.change(tx, now, (earlier) => ({ since: earlier?.since ?? now, reason })),
      );
      follow(pause);
      return pause;
    },
    async resume(): Promise<void> {
      await store.write(PAUSE.delete);
      follow(undefined);
    },
    /** Starts before anything runs. @throws BridgeError `work-due` if acknowledged changes would be left undone */
    async start(): Promise<void> {
      if (mode === 'observe') await enterObserving(store, clock.now());
      // Other processes may pause and resume too.
      if (store.engine === 'postgres') timer = setInterval(refresh, REFRESH_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

const WORK_DUE =
  'acknowledged changes are not in the service yet, and MODE=observe would leave that so: start with MODE=live until nothing waits, or use scim-bridge pause';

/** Remembers in the store that it is used to observe; going live, recovery holds what was accepted meanwhile. @throws BridgeError `work-due` */
async function enterObserving(store: Store, now: number): Promise<void> {
  await store.write(async (tx) => {
    if ((await OBSERVING.find(tx)) !== undefined) return;
    const isDue = (await countDueChanges(tx, Number.MAX_SAFE_INTEGER, 1)) > 0;
    if (isDue) throw new BridgeError('work-due', WORK_DUE);
    await OBSERVING.save(tx, { since: now }, now);
  });
}
