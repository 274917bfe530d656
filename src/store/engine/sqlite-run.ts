import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Run } from './session.ts';
import { StoreError, toSqliteStoreError } from './store-error.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly names: readonly string[];
}

/** More than all fixed queries together; generated ones push each other out. */
const STATEMENTS_MAX = 500;
/** Length from which on a text is not kept: it holds a list, of another length the next time. */
const KEPT_LENGTH_MAX = 4_000;
/** SQLite plans a statement anew each time that a limit is bound, unless the limit is an expression. */
const BOUND_LIMIT = /\blimit \?/g;
/** Time of statements in a row, in milliseconds, after which the event loop is left to others once. */
const ROW_MS = 20;

/**
 * Creates what runs statements on a connection. Each text is prepared once, but for long ones; the least recently used
 * statement is dropped beyond a number.
 */
export function createRun(database: DatabaseSync): Run {
  const cache = new Map<string, Prepared>();
  let pausedAt = 0;

  function prepare(text: string): Prepared {
    const prepared = cache.get(text) ?? prepareAnew(text);
    if (text.length > KEPT_LENGTH_MAX) return prepared;
    // Set again: a Map keeps the order of insertion.
    cache.delete(text);
    const [oldest] = cache.size >= STATEMENTS_MAX ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(text, prepared);
    return prepared;
  }

  function prepareAnew(text: string): Prepared {
    const statement = database.prepare(text.replace(BOUND_LIMIT, '$& + 0'));
    const names = statement.columns().map(({ name }) => name);
    // node:sqlite makes rows that V8 keeps as hash tables: three times as dear to read and to copy as these.
    statement.setReturnArrays(true);
    return { statement, names };
  }

  return async <Row>(text: string, parameters: readonly unknown[]) => {
    if (performance.now() - pausedAt > ROW_MS) {
      await nextTurn();
      pausedAt = performance.now();
    }
    try {
      const { statement, names } = prepare(text);
      const values = parameters.map(toInputValue);
      if (names.length > 0) return { rows: parseRows<Row>(names, statement.all(...values)) };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  };
}

/** The rows of a statement that returns arrays, which its type does not say. */
function parseRows<Row>(names: readonly string[], rows: unknown): Row[] {
  return (rows as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {};
    // Most of what is read passes here: a loop by index makes no entry for each value.
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
    return row as Row;
  });
}

/**
 * Checks that both engines bind the value alike: text, numbers, bytes and null. Flags are stored as 0 and 1, times as
 * numbers.
 */
function toInputValue(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  if (value === null || value instanceof Uint8Array) return value;
  throw new StoreError('store-failed', `a value of type ${typeof value} cannot be stored`);
}
