import { UpstreamError } from './errors.ts';
import type { Turn, TurnRequest } from './turns.ts';
import { createWaitingRoom, type Place, type WaitingRoom } from './waiting-room.ts';

/** A caller that waits for a turn. */
interface Waiter {
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: UpstreamError) => void;
  readonly operation: string;
}

/** Queue of callers that wait for their turn: each may give up, and all are refused at the end. */
export interface TurnLine {
  readonly room: WaitingRoom<Waiter>;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  /** @throws UpstreamError `closed` or `aborted`: the caller has no use for a turn */
  assertOpen(request: TurnRequest): void;
  /** Waits for the turn. @throws UpstreamError `overloaded` at once; rejects with `aborted` or `closed` */
  join(request: TurnRequest): Promise<Turn>;
  /** Refuses all waiting and all later callers. */
  close(): void;
}

/** Creates an empty queue. `onJoin` is called for each caller that joins it. */
export function createTurnLine(queueMax: number, onJoin: () => void): TurnLine {
  const room = createWaitingRoom<Waiter>();
  const closing = new AbortController();

  function add({ operation, callClass, key, again, signal }: TurnRequest): Promise<Turn> {
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const waiter: Waiter = { operation, resolve, reject };
    const place: Place<Waiter> = { callClass, key, again, waiter };
    room.add(place);
    onJoin();
    if (!signal) return promise;
    const leave = () => {
      if (room.remove(place)) reject(aborted(operation, signal.reason));
    };
    signal.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  return {
    room,
    closed: closing.signal,
    assertOpen({ operation, signal }) {
      if (closing.signal.aborted) throw closed(operation);
      if (signal?.aborted) throw aborted(operation, signal.reason);
    },
    join(request) {
      if (room.size >= queueMax) throw overloaded(request.operation, queueMax);
      return add(request);
    },
    close() {
      closing.abort();
      for (const waiter of room.clear()) waiter.reject(closed(waiter.operation));
    },
  };
}

function aborted(operation: string, cause: unknown): UpstreamError {
  return notSent('aborted', operation, 'given up by the caller while waiting for its turn', cause);
}

function closed(operation: string): UpstreamError {
  return notSent('closed', operation, 'the client is closed');
}

function overloaded(operation: string, queueMax: number): UpstreamError {
  return notSent('overloaded', operation, `more than ${queueMax} calls are waiting`);
}

function notSent(
  code: 'aborted' | 'closed' | 'overloaded',
  operation: string,
  detail: string,
  cause?: unknown,
): UpstreamError {
  return new UpstreamError(code, { operation, detail, cause, retry: 'later', outcome: 'not-sent' });
}
