import { readSteady } from '../../domain/clock.ts';
import { createNews } from '../../domain/news.ts';
import { prioritiseInspections } from '../../store/inspections.ts';
import { retryResting } from '../../store/resources/retries.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';
import { createDueTaker } from './due-taker.ts';
import type { Runner } from './runner.ts';

/** The longest sleep between two looks at what is due, in milliseconds. */
const SLEEP_MAX_MS = 30_000;
/** The same where other processes make things due, whose word may be lost. */
const SHARED_SLEEP_MAX_MS = 1_000;
/** The shortest: due work that runs already is not asked for in a tight loop. */
const SLEEP_MIN_MS = 50;
/** Rest when the store cannot be read, in milliseconds. */
const STORE_REST_MS = 1_000;

/** Longer than anything waits for its next attempt, in milliseconds. */
const REST_MAX_MS = 2 * 60 * 60_000;
/** Change of the clock, in milliseconds, that keeps something waiting for long. A smaller one is not worth the calls of all. */
const SET_MS = 60_000;

/**
 * Creates what takes due work, removals of access first, a bounded number at the same time. One resource's failure never
 * stops another's.
 */
export function createWorkers(deps: ReconcileDeps, runner: Runner) {
  const endLateRests = createSetBack(deps);
  const stopping = new AbortController();
  const sleepMaxMs = deps.store.engine === 'postgres' ? SHARED_SLEEP_MAX_MS : SLEEP_MAX_MS;
  const news = createNews(deps.clock, stopping.signal);
  const due = createDueTaker(deps, runner, news.tell);
  let loop: Promise<void> = Promise.resolve();

  async function nextRestMs(): Promise<number> {
    const dueAt = await due.findNextDueAt();
    if (dueAt === undefined) return sleepMaxMs;
    return Math.min(Math.max(dueAt - deps.clock.now(), SLEEP_MIN_MS), sleepMaxMs);
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      let restMs = STORE_REST_MS;
      try {
        await endLateRests();
        await due.take();
        restMs = await nextRestMs();
      } catch (error) {
        if (!isNotLeading(error)) deps.events.failed({ type: 'store', id: 'due', error });
      }
      await news.rest(restMs);
    }
  }

  return {
    start() {
      loop = work();
    },
    /** Something became due. */
    notify: news.tell,
    due,
    /** Takes nothing more; what runs is the runner's to finish. */
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

/**
 * Makes the function that makes due at once what would wait for a clock that was set back to be again where it was. Of the
 * time before its first call, such as that of an earlier process, only long rests tell.
 */
function createSetBack({ store, clock }: ReconcileDeps): () => Promise<void> {
  let known: number | undefined;
  return async () => {
    const aheadMs = clock.now() - readSteady(clock);
    const wasSetBack = known !== undefined && aheadMs < known - SET_MS;
    if (known === undefined || wasSetBack) {
      const now = clock.now();
      const moments = { now, beyond: wasSetBack ? now : now + REST_MAX_MS };
      await retryResting(store, moments, () => undefined);
      await store.write((tx) => prioritiseInspections(tx, moments));
    }
    known = aheadMs;
  };
}
