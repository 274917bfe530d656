import type { LogEvent } from 'kysely';
import type { RanStatement } from '../store.ts';

/** Listener of statements that is set once there is somebody to tell. */
export interface StatementLog {
  /** Log of kysely. */
  readonly log: (event: LogEvent) => void;
  listen(listener: (statement: RanStatement) => void): void;
}

/** Creates the log of one store; nobody listens at first. */
export function createStatementLog(): StatementLog {
  let listener: ((statement: RanStatement) => void) | undefined;
  return {
    log({ level, query, queryDurationMillis: durationMs }) {
      if (listener === undefined) return;
      const verb = VERB.exec(query.sql)?.[1]?.toLowerCase() ?? 'other';
      listener({ verb, durationMs, hasFailed: level === 'error' });
    },
    listen(next) {
      listener = next;
    },
  };
}

/** A `with` may read or change; a change is made with its own word first. */
const VERB = /^\s*(select|insert|update|delete|begin|commit|rollback)\b/i;
