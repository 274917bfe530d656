/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Source of time, passed in so that tests decide it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Milliseconds from some beginning, which pass evenly whatever `now` is set to; absent: `now` does so itself. */
  steady?(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Time of a clock that passes evenly, in milliseconds from some beginning: what a duration is measured with. */
export const readSteady = (clock: Pick<Clock, 'now' | 'steady'>) => clock.steady?.() ?? clock.now();

/** Follows failures of one thing: `began` hears the first of them, `over` how long they lasted and how many they were. */
export function followOutage<Failure>(
  clock: Pick<Clock, 'now'>,
  began: (failure: Failure) => void,
  over: (outage: { readonly afterMs: number; readonly failures: number }) => void,
): (failure: Failure | undefined) => void {
  let [sinceMs, failures] = [0, 0];
  return (failure) => {
    if (failure === undefined && failures > 0) over({ afterMs: clock.now() - sinceMs, failures });
    failures = failure === undefined ? 0 : failures + 1;
    if (failure === undefined || failures > 1) return;
    sinceMs = clock.now();
    began(failure);
  };
}

/** Work that is repeated until it is stopped. */
export interface Loop {
  /** Begins after `afterMs`, by default after the first rest. */
  start(afterMs?: number): void;
  /** Has the next turn begin at once. */
  tell(): void;
  /** Resolves when the turn that runs has ended; its signal is aborted. */
  stop(): Promise<void>;
  /** Aborted at the stop. */
  readonly signal: AbortSignal;
}

interface LoopDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called with the error of a failed turn, unless the loop was stopped by then. */
  readonly onFailure: (error: unknown) => void;
  /** Rest after a turn that failed, or that names none, in milliseconds. */
  readonly restMs: number;
  /** Rest before the first turn, in milliseconds; absent: none. */
  readonly firstMs?: number | undefined;
  /** Has `tell` called when there is news, until the function that it returns is called. */
  readonly listen?: ((tell: () => void) => () => void) | undefined;
}

/** One turn. Resolves with the rest until the next one, in milliseconds; `hasNews`: it begins because of news. */
export type Turn = (signal: AbortSignal, hasNews: boolean) => Promise<number | undefined>;

/** Creates a loop; nothing runs before its start. */
export function createLoop(
  { clock, onFailure, restMs, firstMs = 0, listen }: LoopDeps,
  turn: Turn,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const news = createNews(clock, signal);
  let running: Promise<void> = Promise.resolve();
  let unlisten: (() => void) | undefined;

  async function takeTurn(hasNews: boolean): Promise<number> {
    try {
      return (await turn(signal, hasNews)) ?? restMs;
    } catch (error) {
      if (!signal.aborted) onFailure(error);
      return restMs;
    }
  }

  async function run(afterMs: number): Promise<void> {
    let hasNews = await news.rest(afterMs);
    while (!signal.aborted) hasNews = await news.rest(await takeTurn(hasNews));
  }

  return {
    start(afterMs = firstMs) {
      unlisten = listen?.(news.tell);
      running = run(afterMs);
    },
    tell: news.tell,
    signal,
    async stop() {
      unlisten?.();
      // With a reason: without one, an error with a stack is made each time.
      stopping.abort('stopped');
      await running;
    },
  };
}

/** Creates the wake-up of work that pauses between its turns; after `stopping` it pauses no more. */
export function createNews(clock: Pick<Clock, 'sleep'>, stopping?: AbortSignal) {
  let hasNews = false;
  let wake = () => {};
  stopping?.addEventListener('abort', () => wake(), { once: true });
  return {
    /** Ends the pause between turns. News that comes during a turn ends the pause after it at once. */
    tell(): void {
      hasNews = true;
      wake();
    },
    /** Waits for `ms` at most, and not at all once the work is to stop. True: news came since the last pause. Never rejects. */
    async rest(ms: number): Promise<boolean> {
      const resting = new AbortController();
      // With a reason: without one, an error with a stack is made each time.
      wake = () => resting.abort('news');
      if (ms > 0 && !hasNews && stopping?.aborted !== true) {
        await clock.sleep(ms, resting.signal).catch(() => undefined);
      }
      const hadNews = hasNews;
      hasNews = false;
      return hadNews;
    },
  };
}

/** Has requests during a run share it. */
export function shareRunning<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
