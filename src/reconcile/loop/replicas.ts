import { StoreError } from '../../store/engine/store-error.ts';
import { freeInspectionsOf } from '../../store/inspections.ts';
import { shortenLanes } from '../../store/lanes.ts';
import {
  deleteReplica,
  forgetReplica,
  listReplicas,
  type Replica,
  saveHeard,
} from '../../store/replicas.ts';
import { freeSweepOf } from '../../store/sweeps.ts';
import { freePollerOf } from '../audit/poll-state.ts';
import type { ReconcileDeps } from '../deps.ts';

/** How often a process says that it lives, in milliseconds. */
const HEARD_EVERY_MS = 1_000;
/** For how long a process must not have said so to be taken for dead, in milliseconds. */
const SILENT_MS = 5_000;
/** Who has not asked for so long cannot tell how long others were silent, in milliseconds. */
const DEAF_MS = 3 * HEARD_EVERY_MS;
/** How long after its last word a process may still have sent a call, in milliseconds. */
const LAST_CALL_MS = 2 * HEARD_EVERY_MS;

/** The processes that share the store: each says that it lives, and the work of one that died is taken over. */
export interface Replicas {
  /** Before anything is held. @throws StoreError */
  start(): Promise<void>;
  /** Once nothing is held any more. */
  stop(): Promise<void>;
}

/** A process as this one has watched it. */
interface Watched {
  readonly heardAt: number;
  /** By this process's own steady clock: nobody's clock is believed here. */
  readonly sinceMs: number;
}

/**
 * What this process knows of the others. `onTakenOver` is told when work of another one was set free. Where one
 * process has the store there are no others.
 */
export function createReplicas(deps: ReconcileDeps, onTakenOver: () => void): Replicas {
  const { store, clock, owner, events } = deps;
  const watched = new Map<string, Watched>();
  const stopping = new AbortController();
  let askedAtMs = performance.now();
  let running: Promise<void> = Promise.resolve();

  async function ask(): Promise<Replica[]> {
    const replicas = await store.write(async (tx) => {
      await saveHeard(tx, owner, clock.now());
      return listReplicas(tx);
    });
    const nowMs = performance.now();
    if (nowMs - askedAtMs > DEAF_MS) watched.clear();
    askedAtMs = nowMs;
    return replicas.filter((replica) => isSilent(replica, nowMs));
  }

  /** Whether nothing new was heard of a process for long enough, in answers that came steadily. */
  function isSilent({ owner: other, heard_at }: Replica, nowMs: number): boolean {
    const known = watched.get(other);
    if (other === owner) return false;
    if (known?.heardAt === heard_at) return nowMs - known.sinceMs >= SILENT_MS;
    watched.set(other, { heardAt: heard_at, sinceMs: nowMs });
    return false;
  }

  async function takeOverSilent(): Promise<void> {
    for (const silent of await ask()) {
      watched.delete(silent.owner);
      if (!(await takeOver(deps, silent))) continue;
      events.tookOver({ owner: silent.owner });
      onTakenOver();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await clock.sleep(HEARD_EVERY_MS, stopping.signal);
        await takeOverSilent();
        await deps.quirks.refresh();
      } catch (error) {
        // While the store does not answer nobody can say anything, and others tell of it.
        watched.clear();
        const isTold = error instanceof StoreError || stopping.signal.aborted;
        if (!isTold) events.failed({ type: 'store', id: 'replicas', error });
      }
    }
  }

  return {
    async start() {
      if (store.engine !== 'postgres') return;
      await ask();
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
      if (store.engine !== 'postgres') return;
      // One that is not forgotten now is taken for dead a little later, and holds nothing.
      await store.write((tx) => deleteReplica(tx, owner)).catch(() => undefined);
    },
  };
}

/**
 * Sets free what a silent process holds: lanes when its last call must have ended, everything else at once. One that
 * lives after all finds that out before its next call and before it stores anything, and begins anew.
 */
async function takeOver({ store, clock, policy }: ReconcileDeps, dead: Replica): Promise<boolean> {
  return store.write(async (tx) => {
    if (!(await forgetReplica(tx, dead))) return false;
    const until = dead.heard_at + LAST_CALL_MS + policy.lease.attemptMs;
    await shortenLanes(tx, dead.owner, until);
    await freeSweepOf(tx, dead.owner);
    await freePollerOf(tx, dead.owner, clock.now());
    await freeInspectionsOf(tx, dead.owner, clock.now());
    return true;
  });
}
