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
} from 'kysely';
import type { Turns } from '../../domain/turns.ts';

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
    async executeQuery(query, options) {
      const pause = turns();
      if (pause !== undefined) await pause;
      return connection.executeQuery(query, options);
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
