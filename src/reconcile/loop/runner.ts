import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { markInterrupted } from '../../store/in-flight.ts';
import type { Lock } from '../bounded-wait.ts';
import { converge } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createGroupKind } from '../group/group-kind.ts';
import { isNotLeading } from '../lead.ts';
import { GONE } from '../recorded.ts';
import { createUserKind } from '../user/user-kind.ts';
import type { Waiters } from '../waiters.ts';

/** Time within which a retry is worth waiting for, in milliseconds. */
export const WORTH_WAITING_MS = 2_500;
/** Rest of a resource after an error of our own, in milliseconds. */
const REST_MS = 10_000;
/** Interval at which the end of a run is offered to a store that takes no writes, in milliseconds. */
const OFFER_MS = 1_000;

const WAITS_FOR_OTHERS = 'the change waits for something else first';

/** Converges resources, each under its lock, and answers the requests that wait for them. Never rejects. */
export interface Runner {
  /** Takes the lock of a resource; undefined: it is held. */
  lock(key: ResourceKey): Lock | undefined;
  /** Converges the resource of a lock, and releases it. */
  run(lock: Lock): Promise<void>;
  isLocked(key: ResourceKey): boolean;
  /** The resources whose locks are held. */
  listLocked(): ResourceKey[];
  /** Runs that have not ended. */
  readonly running: { readonly size: number };
  /** Resolves once nothing runs, when no more is to be run. */
  idle(): Promise<void>;
}

/** `onNotified` is told when a finished step made other resources due. */
export function createRunner(
  deps: ReconcileDeps,
  waiters: Waiters,
  onNotified: () => void,
): Runner {
  const users = createUserKind(deps);
  const groups = createGroupKind(deps);
  const running = new Set<Promise<void>>();
  let isStopping = false;

  async function runAndAnswer(key: ResourceKey): Promise<void> {
    const run = { key, waiters, onNotified };
    try {
      const { retryAt, ...progress } =
        key.type === 'user' ? await converge(deps, users, run) : await converge(deps, groups, run);
      const soon = retryAt !== undefined && isSoon(deps, retryAt);
      waiters.settle(key, progress, soon ? undefined : WAITS_FOR_OTHERS);
    } catch (error) {
      await abandon(deps, key, { error, waiters, isStopping: () => isStopping });
    }
  }

  return {
    ...createLocks(),
    async run({ key, release }) {
      const run = runAndAnswer(key);
      running.add(run);
      await run;
      running.delete(run);
      release();
    },
    running,
    async idle() {
      isStopping = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** The locks of the leader: one holder at a time for each resource. */
function createLocks(): Pick<Runner, 'lock' | 'isLocked' | 'listLocked'> {
  const held = new Map<string, ResourceKey>();
  return {
    lock(key) {
      const text = keyText(key);
      if (held.has(text)) return undefined;
      held.set(text, key);
      return { key, release: () => void held.delete(text) };
    },
    isLocked: (key) => held.has(keyText(key)),
    listLocked: () => [...held.values()],
  };
}

/** A run that failed by an error of our own. */
interface FailedRun {
  readonly error: unknown;
  readonly waiters: Pick<Waiters, 'answerNotYet'>;
  readonly isStopping: () => boolean;
}

/** Has the next run look first. A store that takes no writes is asked again until it does. */
async function abandon(
  { store, clock, events }: ReconcileDeps,
  key: ResourceKey,
  { error: cause, waiters, isStopping }: FailedRun,
): Promise<void> {
  // Whoever leads now looks first, and tells the requests.
  if (isNotLeading(cause)) return;
  events.failed({ type: key.type, id: key.id, error: cause });
  waiters.answerNotYet(key, GONE.version, 'the change is stored and will be tried again');
  const restMs = cause instanceof StoreError ? 0 : REST_MS;
  while (!isStopping()) {
    const dueAt = clock.now() + restMs;
    try {
      await store.write((tx) => markInterrupted(tx, key, dueAt));
      return;
    } catch (error) {
      if (isNotLeading(error)) return;
      if (!(error instanceof StoreError)) throw error;
      await clock.sleep(OFFER_MS);
    }
  }
}

/** True when a retry is soon enough for a request to wait for it. */
function isSoon({ upstream, clock }: ReconcileDeps, retryAt: number): boolean {
  if (upstream.writesRefused() !== undefined) return false;
  return retryAt - clock.now() < WORTH_WAITING_MS;
}
