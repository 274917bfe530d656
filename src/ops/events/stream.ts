import type { RequestHandler } from 'express';
import { assertNoParameters } from '../http/list-query.ts';
import type { IsStillIn } from '../http/operator.ts';
import type { News } from './news.ts';

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
    assertNoParameters(req.query);
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
