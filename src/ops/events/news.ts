import type { Clock } from '../../domain/clock.ts';
import { LIVE_TOPICS, type LiveTopic, type Marks } from '../../store/marks.ts';

/** Time between two looks at the store, in milliseconds. */
const LOOK_MS = 1_000;

/** One who is told. */
export interface Listener {
  /** Receives the topics that changed since the last time. */
  readonly changed: (topics: readonly LiveTopic[]) => void;
  /** Called when the process stops. */
  readonly ended: () => void;
}

/** Tells what has changed in the store, whichever process changed it. */
export interface News {
  /** Tells a listener until the returned function is called; undefined: too many listen already. */
  listen(listener: Listener): (() => void) | undefined;
}

/** Dependencies of `createNews`. */
export interface NewsDeps {
  readonly readMarks: () => Promise<Marks>;
  readonly isDraining: () => boolean;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** Listeners of one process. */
export const LISTENERS_MAX = 50;

/** Creates the news of one process: one look at the store each second for all who listen, and none while nobody does. */
export function createNews({ readMarks, isDraining, clock }: NewsDeps): News {
  const listeners = new Set<Listener>();
  let isRunning = false;

  async function look(before: Marks | undefined): Promise<Marks | undefined> {
    const now = await readOrUndefined(readMarks);
    if (before === undefined || now === undefined) return now ?? before;
    const changed = LIVE_TOPICS.filter((topic) => before[topic] !== now[topic]);
    if (changed.length > 0) for (const { changed: tell } of listeners) tell(changed);
    return now;
  }

  async function run(): Promise<void> {
    let known: Marks | undefined;
    while (listeners.size > 0 && !isDraining()) {
      known = await look(known);
      await clock.sleep(LOOK_MS);
    }
    for (const { ended } of listeners) ended();
    listeners.clear();
    isRunning = false;
  }

  return {
    listen(listener) {
      if (listeners.size >= LISTENERS_MAX || isDraining()) return undefined;
      listeners.add(listener);
      if (!isRunning) {
        isRunning = true;
        void run();
      }
      return () => void listeners.delete(listener);
    },
  };
}

/** While the store does not answer nothing is told: the requests of a page say so themselves. */
async function readOrUndefined(read: () => Promise<Marks>): Promise<Marks | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
