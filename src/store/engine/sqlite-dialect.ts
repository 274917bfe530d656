import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
  Transaction,
} from 'kysely';
import type { Schema } from '../schema.ts';
import { type StatementListener, toVerb } from './dialect.ts';
import { toSqliteStoreError } from './sqlite-file.ts';
import { StoreError } from './store-error.ts';

/** kysely on one connection, whose transactions the write queue opens and commits. */
export interface SqliteSession {
  /** Statements outside writes. */
  readonly db: Kysely<Schema>;
  /** Runs `work` so that it can fail alone in the transaction that is open. What is kept of its `tx` is of no use afterwards. */
  write<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
}

/**
 * Opens kysely on a connection. A statement is over when its call returns, so kysely's pool, locks and log are passed by:
 * they cost more than most statements.
 */
export function openSession(statements: Statements, isInTransaction: () => boolean): SqliteSession {
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error('not used')) });
  const pace: Pace = { pausedAt: 0 };
  const executor = new DirectExecutor(statements, pace);
  const props = { config: { dialect }, driver: new DummyDriver(), dialect, executor };
  const begin = statements.prepare('savepoint write');
  const release = statements.prepare('release write');
  const undo = statements.prepare('rollback to write');
  return {
    db: new Kysely<Schema>(props),
    async write(work) {
      const own = new DirectExecutor(statements, pace);
      begin.execute([]);
      try {
        const result = await work(new Transaction<Schema>({ ...props, executor: own }));
        release.execute([]);
        own.over = 'committed';
        return result;
      } catch (error) {
        own.over = 'undone';
        // A full disk or an I/O error makes SQLite undo everything itself; the savepoint is gone with it.
        if (isInTransaction()) {
          undo.execute([]);
          release.execute([]);
        }
        throw error;
      }
    },
  };
}

const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

/** When the statements of a connection last paused, in milliseconds that only grow. */
interface Pace {
  pausedAt: number;
}

/** Time of statements in a row, in milliseconds, after which the event loop is left to others once. */
const ROW_MS = 20;

/** Executes on its one connection, which it is itself, without asking for it each time. */
class DirectExecutor extends DefaultQueryExecutor implements DatabaseConnection {
  readonly #statements: Statements;
  readonly #pace: Pace;
  /** End of the write that the statements belong to: all later ones are refused. */
  over: 'committed' | 'undone' | undefined;

  constructor(statements: Statements, pace: Pace) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(this) });
    this.#statements = statements;
    this.#pace = pace;
  }

  override async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.over !== undefined) {
      throw new StoreError('store-failed', `the write is already ${this.over}`);
    }
    if (performance.now() - this.#pace.pausedAt > ROW_MS) {
      await nextTurn();
      this.#pace.pausedAt = performance.now();
    }
    return this.#statements.prepare(sql).execute(parameters);
  }

  streamQuery(): never {
    throw new StoreError('store-failed', 'lists are read page by page');
  }
}

/** Prepared statements of one connection. Every method throws StoreError. */
export interface Statements {
  prepare(text: string): Statement;
}

/** A prepared statement, whose rows are objects. Their type is that of the query, which the caller knows. */
interface Statement {
  execute<Row>(parameters: readonly unknown[]): QueryResult<Row>;
}

/** More than all fixed queries together; generated ones push each other out. */
const STATEMENTS_MAX = 500;
/** Length from which on a text is not kept: it holds a list, of another length the next time. */
const KEPT_LENGTH_MAX = 4_000;

/**
 * Prepares every SQL text once, but for long ones. The least recently used statement is dropped beyond a number; SQLite
 * frees it with the object.
 */
export function cachedStatements(database: DatabaseSync, listener: StatementListener): Statements {
  const cache = new Map<string, Statement>();
  return {
    prepare(text) {
      const known = cache.get(text);
      const statement = known ?? adapt(database, text, listener);
      if (text.length > KEPT_LENGTH_MAX) return statement;
      // Set again: a Map keeps the order of insertion.
      cache.delete(text);
      const [oldest] = cache.size >= STATEMENTS_MAX ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(text, statement);
      return statement;
    },
  };
}

/** SQLite plans a statement anew each time that a limit is bound, unless the limit is an expression. */
const BOUND_LIMIT = /\blimit \?/g;

function adapt(database: DatabaseSync, given: string, listener: StatementListener): Statement {
  const verb = toVerb(given);
  const text = given.replace(BOUND_LIMIT, '$& + 0');
  const statement = prepare(database, text, () =>
    listener.tell?.({ verb, durationMs: 0, hasFailed: true }),
  );
  const names = statement.columns().map(({ name }) => name);
  // node:sqlite makes rows that V8 keeps as hash tables: three times as dear to read and to copy as these.
  statement.setReturnArrays(true);
  return {
    execute<Row>(parameters: readonly unknown[]): QueryResult<Row> {
      const beganAt = performance.now();
      let hasFailed = true;
      try {
        const values = parameters.map(toInputValue);
        const result =
          names.length > 0
            ? { rows: parseRows<Row>(names, statement.all(...values)) }
            : { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
        hasFailed = false;
        return result;
      } catch (error) {
        throw toSqliteStoreError(error);
      } finally {
        listener.tell?.({ verb, durationMs: performance.now() - beganAt, hasFailed });
      }
    },
  };
}

/** Prepares a statement; one that cannot be prepared never runs, and is reported as failed all the same. */
function prepare(database: DatabaseSync, text: string, tellFailed: () => void): StatementSync {
  try {
    return database.prepare(text);
  } catch (error) {
    tellFailed();
    throw toSqliteStoreError(error);
  }
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
