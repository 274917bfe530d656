import { toPostgresStoreError, wasAnswered } from './postgres-errors.ts';
import type { ServerMark } from './postgres-session.ts';

/** How long a query may take before it is asked whether its server is there at all, in milliseconds. */
const SILENT_MS = 3_000;
/** How often that is looked at, in milliseconds. */
const LOOK_MS = 500;

/** A query that waits for its server. */
export interface WaitingQuery {
  /** The server that the connection was made to. */
  readonly server: ServerMark;
  /** Ends the connection, which fails the query. */
  readonly cut: () => void;
}

/** Feels whether the server is still there. */
export interface Pulse {
  /** Waits for a query, whose connection is cut when its server is there no more. */
  during<T>(query: WaitingQuery, answer: Promise<T>): Promise<T>;
}

/**
 * A host that vanishes closes no connection, so whoever waits for it would wait for a quarter of an hour. Queries
 * that take long are let go on, as long as the same server answers through another connection.
 * @param ask which server answers now; rejects when none does
 */
export function createPulse(ask: () => Promise<ServerMark>): Pulse {
  const waiting = new Map<WaitingQuery, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  async function feel(): Promise<void> {
    const before = performance.now() - SILENT_MS;
    const silent = [...waiting].filter(([, since]) => since <= before).map(([query]) => query);
    if (silent.length === 0 || isAsking) return;
    isAsking = true;
    const isGone = await judge(ask);
    isAsking = false;
    for (const query of silent) if (waiting.has(query) && isGone(query)) query.cut();
  }

  function leave(query: WaitingQuery): void {
    waiting.delete(query);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async during(query, answer) {
      waiting.set(query, performance.now());
      timer ??= setInterval(() => void feel(), LOOK_MS).unref();
      try {
        return await answer;
      } finally {
        leave(query);
      }
    },
  };
}

/** Asks who is there, and tells of a query whether its server is gone. */
async function judge(ask: () => Promise<ServerMark>): Promise<(query: WaitingQuery) => boolean> {
  try {
    const server = await ask();
    return (query) => query.server !== server;
  } catch (error) {
    // One that has no room for another connection is there; which one it is it cannot say.
    const isThere = wasAnswered(toPostgresStoreError(error));
    return () => !isThere;
  }
}
