import { keyText, type ResourceKey } from '../../domain/ids.ts';
import {
  DUE_CLASSES,
  type DueWork,
  findNextDueAt,
  listDue,
  listDueRemovals,
  retryResting,
} from '../../store/due.ts';
import type { DueClass } from '../../store/schema.ts';
import { updateWhere } from '../../store/tables.ts';
import type { Lock } from '../bounded-wait.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';

/** Runs resources, each under its lock (`Convergence`). */
interface Runner {
  lock(key: ResourceKey): Lock | undefined;
  run(lock: Lock): Promise<void>;
  isLocked(key: ResourceKey): boolean;
  listLocked(): ResourceKey[];
}

/** The longest sleep between two looks at what is due, in milliseconds. */
const SLEEP_MAX_MS = 30_000;
/** The same where other processes make things due, whose word may be lost. */
const SHARED_SLEEP_MAX_MS = 1_000;
/** The shortest: due work that runs already is not asked for in a tight loop. */
const SLEEP_MIN_MS = 50;
/** Rest when the store cannot be read, in milliseconds. */
const STORE_REST_MS = 1_000;
/** Users and groups that are brought to the desired state at the same time. */
const RUNS = 8;
/** Runs that only removals of access may have: all others may be waiting for their turn in the budget. */
const REMOVAL_RUNS = 32;

/**
 * Creates what takes due work, removals of access first, a bounded number at the same time. However much else waits, a
 * removal of access is run, and one run is kept for looking. One resource's failure never stops another's.
 */
export function createWorkers(deps: ReconcileDeps, runner: Runner) {
  const { store, upstream, clock } = deps;
  const endLateRests = createSetBack(deps);
  const sleepMaxMs = store.engine === 'postgres' ? SHARED_SLEEP_MAX_MS : SLEEP_MAX_MS;
  let active = 0;
  let looking = 0;
  let isBehind = false;

  function hasRoom(dueClass: DueClass): boolean {
    // Whatever would change the service waits where it is, without an attempt.
    if (dueClass !== 2 && upstream.writesRefused() !== undefined) return false;
    if (dueClass === 0) return active < RUNS + REMOVAL_RUNS;
    return active < RUNS || (dueClass === 2 && looking === 0);
  }

  function run({ key, dueClass }: DueWork): void {
    const lock = runner.lock(key);
    if (lock === undefined) return;
    const looks = dueClass === 2 ? 1 : 0;
    active += 1;
    looking += looks;
    void runner.run(lock).then(() => {
      active -= 1;
      looking -= looks;
      loop.tell();
    });
  }

  /** Leaves out due work that runs already, which the store lists as well. */
  async function list(classes: readonly DueClass[]): Promise<DueWork[]> {
    const now = clock.now();
    const wanted = RUNS + REMOVAL_RUNS - active + 1;
    const limit = wanted + runner.listLocked().length;
    const due = await listDue(store.read, { now, classes, limit });
    const free = due.filter(({ key }) => !runner.isLocked(key)).slice(0, wanted);
    if (due.length < limit || looking > 0) return free;
    // The list may end before the looks.
    return [...free, ...(await listDue(store.read, { now, classes: [2], limit: 1 }))];
  }

  /** Runs what is due, the most urgent first. */
  async function take(): Promise<void> {
    await prioritiseRemovals(deps, runner);
    const classes = DUE_CLASSES.filter(hasRoom);
    if (classes.length === 0) return;
    let left = 0;
    for (const work of await list(classes)) {
      if (hasRoom(work.dueClass)) run(work);
      else if (work.dueClass === 1) left += 1;
    }
    // Without room for changes nobody asked for them: what was known of that still holds.
    if (classes.includes(1)) isBehind = left > 0;
  }

  const job = { type: 'store', id: 'due', restMs: STORE_REST_MS };
  const loop = createJob(deps, job, async () => {
    await endLateRests();
    await take();
    const classes = DUE_CLASSES.filter(hasRoom);
    const dueAt = classes.length === 0 ? undefined : await findNextDueAt(store.read, classes);
    if (dueAt === undefined) return sleepMaxMs;
    return Math.min(Math.max(dueAt - clock.now(), SLEEP_MIN_MS), sleepMaxMs);
  });
  return {
    ...loop,
    /** True while changes that are due find no run: what comes now has to wait behind them. */
    isBehind: () => isBehind,
  };
}

/** Lets calls through that wait in the queue of the service for resources that are to lose access. */
async function prioritiseRemovals(
  { upstream, store, clock }: ReconcileDeps,
  runner: Pick<Runner, 'listLocked'>,
): Promise<void> {
  if (upstream.queueAheadMs('change') === 0) return;
  for (const key of await listDueRemovals(store.read, runner.listLocked(), clock.now())) {
    upstream.prioritise(keyText(key));
  }
}

/** Longer than anything waits for its next attempt, in milliseconds. */
const REST_MAX_MS = 2 * 60 * 60_000;
/** Change of the clock, in milliseconds, that keeps something waiting for long. A smaller one is not worth the calls of all. */
const SET_MS = 60_000;

/**
 * Makes the function that makes due at once what would wait for a clock that was set back to be again where it was. Of the
 * time before its first call, such as that of an earlier process, only long waits tell.
 */
function createSetBack({ store, clock }: ReconcileDeps): () => Promise<void> {
  let lastAt: number | undefined;
  return async () => {
    const now = clock.now();
    const beyond = lastAt === undefined ? now + REST_MAX_MS : now;
    if (lastAt === undefined || now < lastAt - SET_MS) {
      await retryResting(store, { now, beyond }, () => undefined);
      const late = { look_at: { '>': beyond } };
      await store.write((tx) => updateWhere(tx, 'resources', late, { look_at: now }));
    }
    lastAt = now;
  };
}
