import type { ResourceKey } from '../../domain/ids.ts';
import { createReapplication } from '../../rules/reapply.ts';
import { prioritiseWaiting } from '../../store/resources/retries.ts';
import {
  answerEarly,
  type BoundedWait,
  isWorthWaiting,
  type Lock,
  QUEUE_TOO_LONG,
  type Queue,
  readQueue,
  type Settling,
  toQueue,
} from '../bounded-wait.ts';
import type { Hold, ReconcileDeps } from '../deps.ts';
import { readAdmins } from '../group/read-admins.ts';
import { isNotLeading } from '../lead.ts';
import type { Settlement } from '../outcome.ts';
import { LOOK_AGAIN } from '../retry-columns.ts';
import { readRole } from '../user/read-role.ts';
import type { Waiters } from '../waiters.ts';
import { createRunner, type Runner } from './runner.ts';
import { createWorkers } from './workers.ts';

/** Resources that requests may run themselves at the same time; beyond that the workers do it. */
const INLINE_MAX = 256;

/** Brings stored desired state to the service, at the leader; the only way there. */
export interface Convergence {
  /** Takes the lock of a resource for the request that writes it; undefined: the workers run it. */
  lock(key: ResourceKey, row: { readonly must_look: number }): Lock | undefined;
  /** Converges a stored write and waits for it. */
  settle(settling: Settling): Promise<Settlement>;
  /** Reads what makes a user or group privileged. @throws BridgeError `could-not-look`, also when it takes longer than the wait */
  readPrivilege(resource: ResourceKey, wait: BoundedWait): Promise<void>;
  readonly running: Runner['running'];
  readQueue(): Promise<Queue>;
  /** Something became due without anybody waiting. */
  notify(): void;
  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void>;
  /** Runs begin once the hold is over. */
  start(hold: Hold): void;
  /** Takes nothing new and waits for what runs, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Convergence under one lead; `waiters` are the requests of this process. */
export function createConvergence(deps: ReconcileDeps, waiters: Waiters): Convergence {
  const { upstream } = deps;
  const runner = createRunner(deps, waiters, () => workers.tell());
  const workers = createWorkers(deps, runner);
  const reapplication = createReapplication(deps, workers.tell);
  let holding: Hold | undefined = NEVER_STARTED;
  let isStopping = false;

  deps.outage.onEnd(() => void letGoOn(deps, workers.tell));

  const isHeldLong = () => holding?.isLong() === true || upstream.writesRefused() !== undefined;

  return {
    lock(key, { must_look }) {
      const isFull = runner.running.size >= INLINE_MAX || workers.due.isBehind;
      const isHeld = holding !== undefined || isStopping || upstream.writesRefused() !== undefined;
      return isHeld || isFull || must_look === LOOK_AGAIN ? undefined : runner.lock(key);
    },
    async settle({ write, id }) {
      const { key, version, undo } = write;
      const isHeld = isHeldLong();
      const isWorth = isWorthWaiting(toQueue(deps, isHeld), write, waiters.size);
      const waiter = { version, undo, id };
      const settled = isWorth ? waiters.wait(key, waiter, write.waitMs) : QUEUE_TOO_LONG;
      // The resource is run where the request has its lock, or left to the workers.
      const run = write.lock ? runner.run(write.lock) : Promise.resolve();
      // What rules derive from a write waits until the write was tried, and what was written behind it had no lock.
      void run.then(workers.tell);
      if (isWorth && write.lock === undefined) {
        await answerEarly(deps, { waiters, write, isHeld, due: workers.due });
      }
      return settled;
    },
    readPrivilege: ({ type, id }, wait) =>
      type === 'group' ? readAdmins(deps, id, wait) : readRole(deps, id, wait),
    running: runner.running,
    readQueue: () => readQueue(deps, { isHeld: isHeldLong(), isBehind: workers.due.isBehind }),
    notify: workers.tell,
    rulesApplied: () => reapplication.done(),
    start(hold) {
      holding = hold;
      void hold.over.then(() => {
        holding = undefined;
        if (!isStopping) workers.start();
      });
      void hold.trusted.then(() => isStopping || reapplication.start());
    },
    async stop(graceMs) {
      isStopping = true;
      await Promise.all([reapplication.stop(), workers.stop()]);
      await untilIdle(deps, runner, graceMs);
    },
  };
}

/** Nothing may run before it is known that the store is current. */
const NEVER: Promise<never> = new Promise(() => undefined);
const NEVER_STARTED: Hold = { over: NEVER, trusted: NEVER, isLong: () => false };

/** The service answers again: whatever waited for that is due. */
async function letGoOn({ store, clock, events }: ReconcileDeps, notify: () => void): Promise<void> {
  try {
    await prioritiseWaiting(store, clock.now());
    notify();
  } catch (error) {
    // Everything is tried again all the same, each at its time.
    if (!isNotLeading(error)) events.failed({ type: 'store', id: 'due', error });
  }
}

/** Waits until nothing runs, at most `graceMs`. */
async function untilIdle({ clock }: ReconcileDeps, runner: Runner, graceMs: number) {
  const grace = new AbortController();
  const timeUp = clock.sleep(graceMs, grace.signal).catch(() => undefined);
  await Promise.race([runner.idle(), timeUp]);
  grace.abort();
}
