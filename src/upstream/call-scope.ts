import type { Clock } from './clock.ts';

/** Time of one call, from its first turn to its end, over all its attempts. */
export interface CallScope {
  /** Aborts when the time is over or the caller gives up. */
  readonly signal: AbortSignal;
  /** Reason of the abort; undefined before it. */
  ended(): 'deadline' | 'caller' | undefined;
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
  const endMs = clock.now() + timeoutMs;
  let ended: 'deadline' | 'caller' | undefined;
  const end = (by: 'deadline' | 'caller') => {
    ended ??= by;
    controller.abort(by === 'caller' ? callerSignal?.reason : undefined);
  };
  const timer = setTimeout(end, timeoutMs, 'deadline' as const);
  const onAbort = () => end('caller');
  if (callerSignal?.aborted) onAbort();
  else callerSignal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    ended: () => ended,
    remainingMs: () => endMs - clock.now(),
    close() {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', onAbort);
    },
  };
}
