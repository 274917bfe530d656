import type { Clock } from './clock.ts';

/** News for work that rests between its turns. */
export interface News {
  /** Ends the rest; what is told during a turn ends the rest after it at once. */
  tell(): void;
  /** Rests for `ms` at most, and not at all once the work is to stop. True: something was told since the last rest. Never rejects. */
  rest(ms: number): Promise<boolean>;
}

/** Creates the news of one piece of work; `stopping` ends its rests for good. */
export function createNews(clock: Pick<Clock, 'sleep'>, stopping?: AbortSignal): News {
  let isTold = false;
  let wake = () => {};
  stopping?.addEventListener('abort', () => wake(), { once: true });
  return {
    tell() {
      isTold = true;
      wake();
    },
    async rest(ms) {
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
