import type { FormData } from 'undici';
import type { Turn } from './budget.ts';
import type { CallClass } from './call-class.ts';
import { type Clock, readSteady } from './clock.ts';
import { UpstreamError, type UpstreamErrorCode } from './errors.ts';
import type { Operation } from './operations/operation.ts';
import type { CallOptions } from './transport-options.ts';

/** A checked call on its way. */
export interface OutgoingCall {
  readonly operation: Operation;
  readonly args: unknown;
  readonly request: ReadyRequest;
  readonly callClass: CallClass;
  readonly options: CallOptions;
}

/** The request in its form on the wire, with its files found. */
export interface ReadyRequest {
  /** Path with query, without the base URL. */
  readonly path: string;
  readonly body: string | FormData | undefined;
}

/** One attempt of a call that has its turn. */
export interface Attempt {
  readonly call: OutgoingCall;
  readonly scope: CallScope;
  readonly turn: Turn;
  /** 1 for the first. */
  readonly number: number;
}

/** Error of an attempt that never left. */
export function toNotSent(
  code: UpstreamErrorCode,
  { operation }: Pick<OutgoingCall, 'operation'>,
  { detail, cause }: { detail: string; cause?: unknown },
): UpstreamError {
  const fate = { retry: 'later', outcome: 'not-sent' } as const;
  return new UpstreamError(code, { operation: operation.id, detail, cause, ...fate });
}

/** Time of one call, from its first turn to its end, over all its attempts. */
export interface CallScope {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal;
  /** Reason of the abort; undefined before it. */
  readonly ended: 'deadline' | 'caller' | undefined;
  remainingMs(): number;
  /** Must be called when the call has ended. */
  close(): void;
}

/** Starts the time of a call. The end itself is a timer in real time, as the network is. */
export function openCallScope(
  clock: Clock,
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
): CallScope {
  const controller = new AbortController();
  const endMs = readSteady(clock) + timeoutMs;
  const end = (by: 'deadline' | 'caller') => {
    scope.ended ??= by;
    controller.abort(by === 'caller' ? callerSignal?.reason : undefined);
  };
  const timer = setTimeout(end, timeoutMs, 'deadline' as const);
  const onAbort = () => end('caller');
  const scope: CallScope & { ended: CallScope['ended'] } = {
    signal: controller.signal,
    ended: undefined,
    remainingMs: () => endMs - readSteady(clock),
    close() {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
  if (callerSignal?.aborted) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  return scope;
}
