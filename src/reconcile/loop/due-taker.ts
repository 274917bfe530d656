import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { isUnsure } from '../../store/engine/store-error.ts';
import {
  claimLane,
  DUE_CLASSES,
  type DueWork,
  findNextDueAt,
  type Lease,
  listDue,
  listHeldRemovals,
} from '../../store/lanes.ts';
import type { DueClass } from '../../store/schema.ts';
import { type ReconcileDeps, toLaneClaim } from '../deps.ts';
import type { LaneRunner } from './lane-runner.ts';

/** Lanes that only removals of access may use: all others may be waiting for their turn in the budget. */
const REMOVAL_LANES = 32;

/** Gives lanes to what is due, as many at the same time as the policy says. */
export interface DueTaker {
  /**
   * Takes what is due and finds a lane, the most urgent first. However much else waits, a removal of access
   * finds one, and looking keeps one.
   */
  take(): Promise<void>;
  /** When something that would find a lane is due (epoch milliseconds); undefined: nothing is, or all lanes run. */
  findNextDueAt(): Promise<number | undefined>;
  /** True while changes that are due find no lane: what comes now has to wait behind them. */
  readonly isBehind: boolean;
}

/** `onDone` is told when a lane is free again. */
export function createDueTaker(
  deps: ReconcileDeps,
  runner: LaneRunner,
  onDone: () => void,
): DueTaker {
  const { concurrency } = deps.policy;
  let active = 0;
  let looking = 0;
  let isBehind = false;

  function hasLane(dueClass: DueClass): boolean {
    // Whatever would change the service waits where it is, without an attempt.
    if (dueClass !== 2 && deps.upstream.writesRefused() !== undefined) return false;
    if (dueClass === 0) return active < concurrency + REMOVAL_LANES;
    return active < concurrency || (dueClass === 2 && looking === 0);
  }

  async function claimFor(key: ResourceKey): Promise<Lease | undefined> {
    const claim = toLaneClaim(deps);
    const claimed: Lease[] = [];
    try {
      return await deps.store.write(async (tx) => {
        const lease = await claimLane(tx, key, claim);
        if (lease !== undefined) claimed.push(lease);
        return lease;
      });
    } catch (error) {
      // We may have it without having heard of that.
      const last = claimed.at(-1);
      if (isUnsure(error) && last !== undefined) void runner.giveBack(key, last);
      throw error;
    }
  }

  async function run({ key, dueClass }: DueWork): Promise<void> {
    const lease = await claimFor(key);
    if (lease === undefined) return;
    const looks = dueClass === 2 ? 1 : 0;
    active += 1;
    looking += looks;
    void runner.run(key, lease).then(() => {
      active -= 1;
      looking -= looks;
      onDone();
    });
  }

  async function list(classes: readonly DueClass[]): Promise<DueWork[]> {
    const now = deps.clock.now();
    const limit = concurrency + REMOVAL_LANES - active + 1;
    const due = await listDue(deps.store.read, { now, classes, limit });
    if (due.length < limit || looking > 0) return due;
    // The list may end before the looks.
    return [...due, ...(await listDue(deps.store.read, { now, classes: [2], limit: 1 }))];
  }

  return {
    async take() {
      await hastenRemovals(deps);
      const classes = DUE_CLASSES.filter(hasLane);
      if (classes.length === 0) return;
      let left = 0;
      for (const work of await list(classes)) {
        if (hasLane(work.dueClass)) await run(work);
        else if (work.dueClass === 1) left += 1;
      }
      // Without a lane for changes nobody asked for them: what was known of that still holds.
      if (classes.includes(1)) isBehind = left > 0;
    },
    async findNextDueAt() {
      const classes = DUE_CLASSES.filter(hasLane);
      return classes.length === 0 ? undefined : findNextDueAt(deps.store.read, classes);
    },
    get isBehind() {
      return isBehind;
    },
  };
}

/** Who is to lose access may have another call waiting in the queue of the service: it is let through. */
async function hastenRemovals({ upstream, store, owner, clock }: ReconcileDeps): Promise<void> {
  if (upstream.queueAheadMs('change') === 0) return;
  for (const key of await listHeldRemovals(store.read, { owner, now: clock.now() })) {
    upstream.prioritise(keyText(key));
  }
}
