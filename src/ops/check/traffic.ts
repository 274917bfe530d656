import type { Dispatcher } from 'undici';

/** Facts about the rate limit from all answers. */
export interface Traffic {
  /** Requests sent. */
  readonly requests: number;
  /** Answers that came. */
  readonly answers: number;
  /** Answers with 429. */
  readonly rateLimited: number;
  /** Names of rate-limit headers seen, in lower case. */
  readonly headers: readonly string[];
}

/** A dispatcher whose traffic is watched. */
export interface WatchedDispatcher {
  readonly dispatcher: Dispatcher;
  /** The traffic so far. */
  read(): Traffic;
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Watches the heads of all answers: the client itself hands on bodies only, and a probe wants to see which headers came.
 * @param told hears at each answer how many there were
 */
export function watchTraffic(
  inner: Dispatcher,
  told: (answers: number) => void = () => undefined,
): WatchedDispatcher {
  const names = new Set<string>();
  let traffic: Omit<Traffic, 'headers'> = {
    requests: 0,
    answers: 0,
    rateLimited: 0,
  };

  function note(status: number, headers: Headers): void {
    for (const name of Object.keys(headers)) {
      if (/^(x-)?rate-?limit|^retry-after$/.test(name)) names.add(name);
    }
    traffic = {
      requests: traffic.requests,
      answers: traffic.answers + 1,
      rateLimited: traffic.rateLimited + (status === 429 ? 1 : 0),
    };
    told(traffic.answers);
  }

  const dispatcher = inner.compose((dispatch) => (options, handler) => {
    traffic = { ...traffic, requests: traffic.requests + 1 };
    return dispatch(options, toWatched(handler, note));
  });
  return { dispatcher, read: () => ({ ...traffic, headers: [...names].toSorted() }) };
}

function toWatched(
  handler: Dispatcher.DispatchHandler,
  note: (status: number, headers: Headers) => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, message) {
      if (status >= 200) note(status, headers); // 1xx come before the answer itself.
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
