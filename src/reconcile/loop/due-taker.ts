import { keyText } from '../../domain/ids.ts';
import {
  DUE_CLASSES,
  type DueWork,
  findNextDueAt,
  listDue,
  listDueRemovals,
} from '../../store/due.ts';
import { beginLook } from '../../store/in-flight.ts';
import type { DueClass } from '../../store/schema.ts';
import type { Lock } from '../bounded-wait.ts';
import type { ReconcileDeps } from '../deps.ts';
import { LOOK_AGAIN } from '../retry-columns.ts';
import type { Runner } from './runner.ts';

/** Users and groups that are brought to the desired state at the same time. */
const RUNS = 8;
/** Runs that only removals of access may have: all others may be waiting for their turn in the budget. */
const REMOVAL_RUNS = 32;

/** Creates what runs due work, as much at the same time as the policy says. `onDone` is told when a run has ended. */
export function createDueTaker(deps: ReconcileDeps, runner: Runner, onDone: () => void) {
  let active = 0;
  let looking = 0;

  function hasRoom(dueClass: DueClass): boolean {
    // Whatever would change the service waits where it is, without an attempt.
    if (dueClass !== 2 && deps.upstream.writesRefused() !== undefined) return false;
    if (dueClass === 0) return active < RUNS + REMOVAL_RUNS;
    return active < RUNS || (dueClass === 2 && looking === 0);
  }

  /** Another look was asked for while one was under way: the run that begins now makes it. */
  async function begin({ key, mustLook }: DueWork, lock: Lock): Promise<void> {
    if (mustLook !== LOOK_AGAIN) return;
    try {
      await deps.store.write((tx) => beginLook(tx, key));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async function run(work: DueWork): Promise<void> {
    const lock = runner.lock(work.key);
    if (lock === undefined) return;
    await begin(work, lock);
    const looks = work.dueClass === 2 ? 1 : 0;
    active += 1;
    looking += looks;
    void runner.run(lock).then(() => {
      active -= 1;
      looking -= looks;
      onDone();
    });
  }

  /** Leaves out due work that runs already, which the store lists as well. */
  async function list(classes: readonly DueClass[]): Promise<DueWork[]> {
    const now = deps.clock.now();
    const wanted = RUNS + REMOVAL_RUNS - active + 1;
    const limit = wanted + runner.listLocked().length;
    const due = await listDue(deps.store.read, { now, classes, limit });
    const free = due.filter(({ key }) => !runner.isLocked(key)).slice(0, wanted);
    if (due.length < limit || looking > 0) return free;
    // The list may end before the looks.
    return [...free, ...(await listDue(deps.store.read, { now, classes: [2], limit: 1 }))];
  }

  const taker = {
    /** True while changes that are due find no run: what comes now has to wait behind them. */
    isBehind: false,
    /**
     * Runs what is due, the most urgent first. However much else waits, a removal of access is run, and one run is kept
     * for looking.
     */
    async take() {
      await prioritiseRemovals(deps, runner);
      const classes = DUE_CLASSES.filter(hasRoom);
      if (classes.length === 0) return;
      let left = 0;
      for (const work of await list(classes)) {
        if (hasRoom(work.dueClass)) await run(work);
        else if (work.dueClass === 1) left += 1;
      }
      // Without room for changes nobody asked for them: what was known of that still holds.
      if (classes.includes(1)) taker.isBehind = left > 0;
    },
    /** Finds the time at which something that would be run is due (epoch milliseconds); undefined: nothing is, or may be. */
    async findNextDueAt() {
      const classes = DUE_CLASSES.filter(hasRoom);
      return classes.length === 0 ? undefined : findNextDueAt(deps.store.read, classes);
    },
  };
  return taker;
}

/** Lets calls through that wait in the queue of the service for somebody who is to lose access. */
async function prioritiseRemovals(
  { upstream, store, clock }: ReconcileDeps,
  runner: Pick<Runner, 'listLocked'>,
): Promise<void> {
  if (upstream.queueAheadMs('change') === 0) return;
  for (const key of await listDueRemovals(store.read, runner.listLocked(), clock.now())) {
    upstream.prioritise(keyText(key));
  }
}
