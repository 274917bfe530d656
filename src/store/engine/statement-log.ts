import type { LogEvent } from 'kysely';
import type { RanStatement } from '../store.ts';

/** Listener of statements that is set once there is somebody to tell. */
export interface StatementLog {
  /** Log of kysely, for an engine that answers later. */
  readonly log: (event: LogEvent) => void;
  /** Runs a statement of an engine that answers at once; kysely's log would cost more than the statement. */
  measure<T>(verb: string, run: () => T): T;
  listen(listener: (statement: RanStatement) => void): void;
}

/** Creates the log of one store; nobody listens at first. */
export function createStatementLog(): StatementLog {
  let listener: ((statement: RanStatement) => void) | undefined;
  return {
    log({ level, query, queryDurationMillis: durationMs }) {
      listener?.({ verb: toVerb(query.sql), durationMs, hasFailed: level === 'error' });
    },
    measure(verb, run) {
      if (listener === undefined) return run();
      const beganAt = performance.now();
      let hasFailed = true;
      try {
        const result = run();
        hasFailed = false;
        return result;
      } finally {
        listener({ verb, durationMs: performance.now() - beganAt, hasFailed });
      }
    },
    listen(next) {
      listener = next;
    },
  };
}

/** Finds the first word of a statement, such as `select`. */
export function toVerb(text: string): string {
  return VERB.exec(text)?.[1]?.toLowerCase() ?? 'other';
}

/** A `with` may read or change; a change is made with its own word first. */
const VERB = /^\s*(select|insert|update|delete|begin|commit|rollback)\b/i;
