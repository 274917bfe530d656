import type { RequestHandler } from 'express';
import type { Clock } from '../../domain/clock.ts';
import { LIVE_TOPICS, type LiveTopic, type Marks } from '../../store/marks.ts';
import { parseQuery } from '../http/list-query.ts';
import type { IsStillIn } from '../http/operator.ts';

/** Time between two looks at the store, in milliseconds. */
const LOOK_MS = 1_000;

/** A follower of the events. */
interface Listener {
  /** Receives the topics that changed since the last time. */
  readonly changed: (topics: readonly LiveTopic[]) => void;
  /** Called when the process stops. */
  readonly ended: () => void;
}

/** Tells what has changed in the store, whichever process changed it. */
export interface News {
  /** Tells a listener until the returned function is called; undefined: too many listen already. */
  listen(listener: Listener): (() => void) | undefined;
}

/** Dependencies of `createNews`. */
interface NewsDeps {
  readonly readMarks: () => Promise<Marks>;
  readonly isDraining: () => boolean;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** Listeners of one process. */
export const LISTENERS_MAX = 50;

/** Creates the news of one process: one look at the store each second for all who listen, and none while nobody does. */
export function createNews({ readMarks, isDraining, clock }: NewsDeps): News {
  const listeners = new Set<Listener>();
  let isRunning = false;

  async function look(before: Marks | undefined): Promise<Marks | undefined> {
    const now = await readOrUndefined(readMarks);
    if (before === undefined || now === undefined) return now ?? before;
    const changed = LIVE_TOPICS.filter((topic) => before[topic] !== now[topic]);
    if (changed.length > 0) for (const { changed: tell } of listeners) tell(changed);
    return now;
  }

  async function run(): Promise<void> {
    let known: Marks | undefined;
    while (listeners.size > 0 && !isDraining()) {
      known = await look(known);
      await clock.sleep(LOOK_MS);
    }
    for (const { ended } of listeners) ended();
    listeners.clear();
    isRunning = false;
  }

  return {
    listen(listener) {
      if (listeners.size >= LISTENERS_MAX || isDraining()) return undefined;
      listeners.add(listener);
      if (!isRunning) {
        isRunning = true;
        void run();
      }
      return () => void listeners.delete(listener);
    },
  };
}

/** While the store does not answer nothing is sent: the requests of a page say so themselves. */
async function readOrUndefined(read: () => Promise<Marks>): Promise<Marks | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Time after which a stream ends, in milliseconds: its reader comes again, and is let in again. */
const STREAM_MS = 600_000;
/** Interval of comments, in milliseconds, so that nothing in between takes the connection for idle. */
const BEAT_MS = 20_000;
/** Time after which a reader comes again, in milliseconds. */
const RETRY_MS = 2_000;

/**
 * `GET /ops/events`: server-sent events that name what has changed, and hold nothing else: `event: changed` with
 * `{"topics": […]}`. A stream ends when its credential does.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html (read 2026-11-22)
 */
export function streamNews(news: News, isStillIn: IsStillIn): RequestHandler {
  return (req, res, next) => {
    parseQuery(req.query, {});
    const stop = news.listen({
      changed(topics) {
        res.write(`event: changed\ndata: ${JSON.stringify({ topics })}\n\n`);
        if (topics.includes('access')) endOutsider();
      },
      ended: () => end(),
    });
    if (stop === undefined) {
      const message = 'No more streams now; ask for what is needed every few seconds instead.';
      res.status(503).set('Retry-After', '60').json({ code: 'too-many', message });
      return;
    }
    res.set({
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Tells nginx to pass on each event at once.
      'X-Accel-Buffering': 'no',
    });
    res.write(`retry: ${RETRY_MS}\n\n`);
    const beat = setInterval(() => {
      res.write(':\n\n');
      endOutsider();
    }, BEAT_MS);
    const last = setTimeout(() => end(), STREAM_MS);
    res.once('close', forget);

    /** Ends the stream of a person who was signed out meanwhile. */
    function endOutsider(): void {
      isStillIn(req).then((isIn) => isIn || end(), next);
    }

    function end(): void {
      forget();
      res.end();
    }

    function forget(): void {
      stop?.();
      clearInterval(beat);
      clearTimeout(last);
    }
  };
}
