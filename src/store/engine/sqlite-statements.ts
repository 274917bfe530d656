import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { toSqliteStoreError } from './sqlite-file.ts';
import { StoreError } from './store-error.ts';

/**
 * node:sqlite in the shape that kysely's SQLite driver expects, with every SQL text prepared once.
 * The least recently used statement is dropped beyond `statementsMax`; SQLite frees it with the object.
 * Every method throws StoreError.
 */
export function cachedStatements(database: DatabaseSync, statementsMax: number): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();

  return {
    prepare: (text) => {
      const known = cache.get(text);
      const statement = known ?? adapt(database, text);
      if (known)
        cache.delete(text); // Set again below: a Map keeps the order of insertion.
      else if (cache.size >= statementsMax) dropFirst(cache);
      cache.set(text, statement);
      return statement;
    },
    close: () => {
      cache.clear();
      database.close();
    },
  };
}

function dropFirst(cache: Map<string, unknown>): void {
  for (const text of cache.keys()) {
    cache.delete(text);
    return;
  }
}

function adapt(database: DatabaseSync, text: string): SqliteStatement {
  const statement = translated(() => database.prepare(text));
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translated(() => statement.all(...parameters.map(toInputValue))),
    run: (parameters) => translated(() => statement.run(...parameters.map(toInputValue))),
    // A statement of its own: running the shared one again would end this iteration early.
    iterate: (parameters) =>
      rowsOf(
        translated(() => database.prepare(text)),
        parameters,
      ),
  };
}

function* rowsOf(statement: StatementSync, parameters: readonly unknown[]): Generator<unknown> {
  try {
    yield* statement.iterate(...parameters.map(toInputValue));
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

/**
 * Checks that both engines bind the value alike: text, numbers, bytes and null. Flags are stored as 0 and 1, times as
 * numbers.
 */
function toInputValue(value: unknown): SQLInputValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new StoreError('store-failed', `a value of type ${typeof value} cannot be stored`);
  }
}
