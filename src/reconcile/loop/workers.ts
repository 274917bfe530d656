import { createNews } from '../../domain/news.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isNotLeading } from '../lead.ts';
import { createDueTaker } from './due-taker.ts';
import type { Runner } from './runner.ts';
import { createSetBack } from './set-back.ts';

/** The longest sleep between two looks at what is due, in milliseconds. */
const SLEEP_MAX_MS = 30_000;
/** The same where other processes make things due, whose word may be lost. */
const SHARED_SLEEP_MAX_MS = 1_000;
/** The shortest: due work that runs already is not asked for in a tight loop. */
const SLEEP_MIN_MS = 50;
/** How long to rest when the store cannot be read, in milliseconds. */
const STORE_REST_MS = 1_000;

/** Takes what is due, removal of access first, a bounded number at the same time. */
export interface Workers {
  start(): void;
  /** Something became due. */
  notify(): void;
  /** True while changes that are due find no room: what comes now has to wait behind them. */
  readonly isBehind: boolean;
  /** Takes nothing more; what runs is the runner's to finish. */
  stop(): Promise<void>;
}

/** The due workers of one process. One resource's failure never stops another's. */
export function createWorkers(deps: ReconcileDeps, runner: Runner): Workers {
  const setBack = createSetBack(deps.store, deps.clock);
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
        await setBack.endLateRests();
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
    notify: news.tell,
    get isBehind() {
      return due.isBehind;
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
