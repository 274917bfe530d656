import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  type SelectModifierNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';
import type { Turns } from '../../domain/turns.ts';
import { toSqliteStoreError } from './sqlite-file.ts';
import { type StatementLog, toVerb } from './statement-log.ts';
import { StoreError } from './store-error.ts';

/** Connection whose transactions the write queue opens and commits. */
export interface SavepointDialectConfig {
  database: SqliteDatabase;
  isInTransaction(): boolean;
  /** Paces statements, so that many in a row leave the event loop to others in between. */
  readonly turns: Turns;
}

/**
 * kysely's SQLite dialect where what kysely calls a transaction is a savepoint inside one that is already
 * open, so that one write can fail alone.
 */
export class SavepointDialect extends SqliteDialect {
  readonly #config: SavepointDialectConfig;
  constructor(config: SavepointDialectConfig) {
    super(config);
    this.#config = config;
  }
  override createDriver(): Driver {
    return new SavepointDriver(this.#config);
  }
  override createAdapter(): DialectAdapter {
    return new SingleWriterAdapter();
  }
  override createQueryCompiler(): QueryCompiler {
    return new SingleWriterCompiler();
  }
}

const savepoint = CompiledQuery.raw('savepoint write');
const release = CompiledQuery.raw('release write');
const undo = CompiledQuery.raw('rollback to write');

class SavepointDriver extends SqliteDriver {
  readonly #config: SavepointDialectConfig;
  #connection: DatabaseConnection | undefined;
  constructor(config: SavepointDialectConfig) {
    super(config);
    this.#config = config;
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= inTurns(await super.acquireConnection(), this.#config.turns);
    return this.#connection;
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(savepoint);
  }
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(release);
  }
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk or an I/O error makes SQLite undo everything itself; the savepoint is gone with it.
    if (!this.#config.isInTransaction()) return;
    await connection.executeQuery(undo);
    await connection.executeQuery(release);
  }
}

function inTurns(connection: DatabaseConnection, turns: Turns): DatabaseConnection {
  return {
    executeQuery(query, options) {
      const execute = () => connection.executeQuery<never>(query, options);
      return turns()?.then(execute) ?? execute();
    },
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  };
}

class SingleWriterAdapter extends SqliteAdapter {
  /** True only so that kysely adds no lock of its own: each call of node:sqlite is over before the next begins. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
  /** SQLite undoes a failed migration like any other write. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SingleWriterCompiler extends SqliteQueryCompiler {
  /** Leaves out `for update` and `skip locked`: one write runs at a time, and SQLite does not know them. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct' || node.rawModifier) super.visitSelectModifier(node);
  }
}

/** Options of prepared statements. */
interface CacheOptions extends Pick<StatementLog, 'measure'> {
  readonly statementsMax: number;
}

/**
 * node:sqlite in the shape that kysely's SQLite driver expects, with every SQL text prepared once.
 * The least recently used statement is dropped beyond `statementsMax`; SQLite frees it with the object.
 * Every method throws StoreError.
 */
export function cachedStatements(
  database: DatabaseSync,
  { statementsMax, measure }: CacheOptions,
): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();

  return {
    prepare: (text) => {
      const known = cache.get(text);
      const statement = known ?? adapt(database, text, measure);
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

/** SQLite plans a statement anew each time that a limit is bound, unless the limit is an expression. */
const BOUND_LIMIT = /\blimit \?/g;

function adapt(
  database: DatabaseSync,
  given: string,
  measure: StatementLog['measure'],
): SqliteStatement {
  const verb = toVerb(given);
  const text = given.replace(BOUND_LIMIT, '$& + 0');
  const statement = prepare(database, text, (fail) => measure(verb, fail));
  const names = statement.columns().map(({ name }) => name);
  // node:sqlite makes rows that V8 keeps as hash tables: three times as dear to read and to copy as these.
  statement.setReturnArrays(true);
  return {
    reader: names.length > 0,
    all: (parameters) =>
      measure(verb, () =>
        translated(() => parseRows(statement.all(...parameters.map(toInputValue)))),
      ).map((values) => toRow(names, values)),
    run: (parameters) =>
      measure(verb, () => translated(() => statement.run(...parameters.map(toInputValue)))),
    // A statement of its own: running the shared one again would end this iteration early.
    iterate: (parameters) =>
      rowsOf(
        translated(() => database.prepare(text)),
        parameters,
      ),
  };
}

/** Prepares a statement; one that cannot be prepared never runs, and is told as failed all the same. */
function prepare(
  database: DatabaseSync,
  text: string,
  tell: (fail: () => never) => never,
): StatementSync {
  try {
    return translated(() => database.prepare(text));
  } catch (error) {
    return tell(() => {
      throw error;
    });
  }
}

function toRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  // Most of what is read passes here: a loop by index makes no entry for each value.
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
  return row;
}

/** The rows of a statement that returns arrays, which its type does not say. */
function parseRows(rows: unknown): readonly (readonly unknown[])[] {
  return rows as readonly (readonly unknown[])[];
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
