import type { Clock } from './clock.ts';
import { createNews } from './news.ts';

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
