import type { Clock } from './clock.ts';

/** Work that is repeated until it is stopped. */
export interface Loop {
  /** Begins after `afterMs`, by default at once. */
  start(afterMs?: number): void;
  /** Has the next turn begin at once. */
  tell(): void;
  /** Resolves when the turn that runs has ended; its signal is aborted. */
  stop(): Promise<void>;
}

/** Surroundings of a loop. */
interface LoopDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called with the error of a failed turn, unless the loop was stopped by then. */
  readonly onFailure: (error: unknown) => void;
  /** Rest after a failed turn, in milliseconds. */
  readonly failedRestMs: number;
}

/**
 * Creates a loop; nothing runs before its start.
 * @param turn resolves with the rest until the next turn, in milliseconds; `isTold`: it begins because of news
 */
export function createLoop(
  { clock, onFailure, failedRestMs }: LoopDeps,
  turn: (signal: AbortSignal, isTold: boolean) => Promise<number>,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const news = createNews(clock, signal);
  let running: Promise<void> = Promise.resolve();

  async function takeTurn(isTold: boolean): Promise<number> {
    try {
      return await turn(signal, isTold);
    } catch (error) {
      if (!signal.aborted) onFailure(error);
      return failedRestMs;
    }
  }

  async function run(afterMs: number): Promise<void> {
    let isTold = await news.rest(afterMs);
    while (!signal.aborted) isTold = await news.rest(await takeTurn(isTold));
  }

  return {
    start(afterMs = 0) {
      running = run(afterMs);
    },
    tell: news.tell,
    async stop() {
      // With a reason: without one, an error with a stack is made each time.
      stopping.abort('stopped');
      await running;
    },
  };
}

/** Creates what wakes work that waits between its turns; `stopping` ends its rests for good. */
export function createNews(clock: Pick<Clock, 'sleep'>, stopping?: AbortSignal) {
  let isTold = false;
  let wake = () => {};
  stopping?.addEventListener('abort', () => wake(), { once: true });
  return {
    /** Ends the pause between turns. News that comes during a turn ends the pause after it at once. */
    tell(): void {
      isTold = true;
      wake();
    },
    /** Waits for `ms` at most, and not at all once the work is to stop. True: news came since the last pause. Never rejects. */
    async rest(ms: number): Promise<boolean> {
      const resting = new AbortController();
      // With a reason: without one, an error with a stack is made each time.
      wake = () => resting.abort('news');
      if (ms > 0 && !isTold && stopping?.aborted !== true) {
        await clock.sleep(ms, resting.signal).catch(() => undefined);
      }
      const wasTold = isTold;
      isTold = false;
      return wasTold;
    },
  };
}
