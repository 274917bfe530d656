import type { FormData } from 'undici';
import type { Budget } from './budget.ts';
import { type Clock, readSteady } from './clock.ts';
import { notSent } from './errors.ts';
import type { Gates } from './gates.ts';
import type { Operation } from './operations/operation.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import type { CallOptions, Timeouts, TransportHooks, WritesRefused } from './transport-options.ts';
import type { CallClass } from './waiting-room.ts';

/** What all calls of one transport share. */
export interface CallDeps {
  readonly origin: string;
  readonly dispatcher: RequestDispatcher;
  readonly bearer: Bearer;
  /** `message`: the service's words stand in the messages of errors. */
  readonly wordsIn: 'message' | undefined;
  readonly timeouts: Timeouts;
  readonly responseBytesMax: number;
  readonly attemptsMax: number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly hooks: TransportHooks;
  readonly budget: Budget;
  readonly rateLimit: RateLimit;
  readonly gates: Gates;
  /** Exchanges under way. */
  readonly running: Set<Promise<unknown>>;
}

/** Token of the service, which may be renewed while calls go on. */
export interface Bearer {
  readonly token: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A call with checked arguments. */
export interface Call {
  readonly operation: Operation;
  readonly args: unknown;
  /** Path with query, without the base URL. */
  readonly path: string;
  readonly body: string | FormData | undefined;
  readonly options: CallOptions;
}

/** The class of a call. */
export function toClass({ options }: Call): CallClass {
  return options.class ?? 'pass';
}

const REFUSAL_WORDS: Readonly<Record<WritesRefused, string>> = {
  'observe-mode': 'nothing is changed in the service while only observing',
  'writes-paused': 'nothing is changed in the service until an operator resumes',
};

/** @throws UpstreamError `observe-mode` or `writes-paused` when the call would change something and that is refused now. */
export function assertWritable({ hooks }: Pick<CallDeps, 'hooks'>, call: Call): void {
  if (call.operation.method === 'GET') return;
  const refused = hooks.writesRefused?.();
  if (refused === undefined) return;
  throw notSent(refused, call.operation.id, REFUSAL_WORDS[refused]);
}

/** Time of one call, over all its attempts. */
export interface CallTime {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal;
  /** Reason of the abort; undefined before it. */
  readonly ended: 'deadline' | 'caller' | undefined;
  /** Ends the call after so long. The end is a timer in real time, as the network is. Called once. */
  start(limitMs: number): void;
  /** Milliseconds until the end; the time has been started. */
  remainingMs(): number;
  /** Must be called when the call has ended. */
  close(): void;
}

/** Opens the time of a call, which begins with `start`. */
export function openCallTime(clock: Clock, callerSignal: AbortSignal | undefined): CallTime {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let endMs = Number.POSITIVE_INFINITY;
  const end = (by: 'deadline' | 'caller') => {
    time.ended ??= by;
    controller.abort(by === 'caller' ? callerSignal?.reason : undefined);
  };
  const onAbort = () => end('caller');
  const time: CallTime & { ended: CallTime['ended'] } = {
    signal: controller.signal,
    ended: undefined,
    start(limitMs) {
      endMs = readSteady(clock) + limitMs;
      timer = setTimeout(end, limitMs, 'deadline' as const);
    },
    remainingMs: () => endMs - readSteady(clock),
    close() {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
  if (callerSignal?.aborted) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  return time;
}
