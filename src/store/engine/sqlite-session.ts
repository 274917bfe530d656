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

/** Runs a statement. @throws StoreError */
type Execute = <Row>(text: string, parameters: readonly unknown[]) => QueryResult<Row>;

/** When the statements of a connection last paused, in milliseconds that only grow. */
interface Pace {
  pausedAt: number;
}

/** Time of statements in a row, in milliseconds, after which the event loop is left to others once. */
const ROW_MS = 20;

/**
 * Opens kysely on a connection. A statement is over when its call returns, so kysely's pool, locks and log are passed by:
 * they cost more than most statements.
 */
export function openSession(database: DatabaseSync, listener: StatementListener): SqliteSession {
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error('not used')) });
  const execute = createExecute(database, listener);
  const pace: Pace = { pausedAt: 0 };
  const toProps = (executor: DirectExecutor) => {
    return { config: { dialect }, driver: new DummyDriver(), dialect, executor };
  };

  return {
    db: new Kysely<Schema>(toProps(new DirectExecutor(execute, pace))),
    async write(work) {
      const executor = new DirectExecutor(execute, pace);
      execute('savepoint write', []);
      try {
        const result = await work(new Transaction<Schema>(toProps(executor)));
        execute('release write', []);
        executor.over = 'committed';
        return result;
      } catch (error) {
        executor.over = 'undone';
        // A full disk or an I/O error makes SQLite undo everything itself; the savepoint is gone with it.
        if (database.isTransaction) {
          execute('rollback to write', []);
          execute('release write', []);
        }
        throw error;
      }
    },
  };
}

const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

/** Executes on its one connection, which it is itself, without asking for it each time. */
class DirectExecutor extends DefaultQueryExecutor implements DatabaseConnection {
  readonly #execute: Execute;
  readonly #pace: Pace;
  /** End of the write that the statements belong to: all later ones are refused. */
  over: 'committed' | 'undone' | undefined;

  constructor(execute: Execute, pace: Pace) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(this) });
    this.#execute = execute;
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
    return this.#execute(sql, parameters);
  }

  streamQuery(): never {
    throw new StoreError('store-failed', 'lists are read page by page');
  }
}

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

/** Prepares every SQL text once, but for long ones. The least recently used statement is dropped beyond a number. */
function createExecute(database: DatabaseSync, listener: StatementListener): Execute {
  const cache = new Map<string, Prepared>();

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

  return <Row>(text: string, parameters: readonly unknown[]): QueryResult<Row> => {
    const beganAt = performance.now();
    let hasFailed = true;
    try {
      const { statement, names } = prepare(text);
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
      const durationMs = performance.now() - beganAt;
      listener.tell?.({ verb: toVerb(text), durationMs, hasFailed });
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
