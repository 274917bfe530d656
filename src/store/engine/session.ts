import type {
  CompiledQuery,
  DatabaseConnection,
  DialectAdapter,
  QueryCompiler,
  QueryResult,
} from 'kysely';
import { DefaultQueryExecutor, DummyDriver, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Db, Engine, Store } from '../store.ts';
import { StoreError } from './store-error.ts';

/** Runs a statement on a connection. @throws StoreError */
export type Run = <Row>(text: string, values: readonly unknown[]) => Promise<QueryResult<Row>>;

/** Puts kysely on the connections of an engine, without its pool, locks and log, which cost more than statements. */
export function createSessions(engine: Engine) {
  const nowhere = () => Promise.reject(new Error('not used'));
  const dialect =
    engine === 'sqlite'
      ? new SqliteDialect({ database: nowhere })
      : new PostgresDialect({ pool: nowhere });
  const parts = [dialect.createQueryCompiler(), dialect.createAdapter()] as const;
  const toProps = (executor: Executor) => {
    return { config: { dialect }, driver: new DummyDriver(), dialect, executor };
  };
  let tell: Parameters<Store['onStatement']>[0] | undefined;

  return {
    /** Tells of every statement from now on. */
    onStatement(listen: typeof tell) {
      tell = listen;
    },
    /** The same, with its time told. */
    watch(run: Run): Run {
      return async <Row>(text: string, values: readonly unknown[]) => {
        const beganAt = performance.now();
        let hasFailed = true;
        try {
          const result = await run<Row>(text, values);
          hasFailed = false;
          return result;
        } finally {
          const verb = VERB.exec(text)?.[1]?.toLowerCase() ?? 'other';
          tell?.({ verb, durationMs: performance.now() - beganAt, hasFailed });
        }
      };
    },
    /** Statements outside transactions. */
    open: (run: Run) => new Kysely<Schema>(toProps(new Executor(run, ...parts))),
    /** Runs `work` in a transaction. What is kept of its `tx` is of no use afterwards. */
    async transact<T>(
      run: Run,
      boundaries: { readonly begin: string; readonly commit: string; undo(): Promise<unknown> },
      work: (tx: Db) => Promise<T>,
    ): Promise<T> {
      const executor = new Executor(run, ...parts);
      await run(boundaries.begin, []);
      try {
        const result = await work(new Kysely<Schema>(toProps(executor)));
        await run(boundaries.commit, []);
        executor.over = 'committed';
        return result;
      } catch (error) {
        executor.over = 'undone';
        await boundaries.undo();
        throw error;
      }
    },
  };
}

/** Runs statements on a connection, which it is itself, without asking for it each time. */
class Executor extends DefaultQueryExecutor implements DatabaseConnection {
  readonly #run: Run;
  /** End of the transaction that the statements belong to: all later ones are refused. */
  over: 'committed' | 'undone' | undefined;

  constructor(run: Run, compiler: QueryCompiler, adapter: DialectAdapter) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(this) });
    this.#run = run;
  }

  override executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.over === undefined) return this.#run<Row>(sql, parameters);
    return Promise.reject(new StoreError('store-failed', `the write is already ${this.over}`));
  }

  streamQuery(): never {
    throw new StoreError('store-failed', 'lists are read page by page');
  }
}

/** The first word of a statement. A `with` may read or change; a change is made with its own word first. */
const VERB = /^\s*(select|insert|update|delete|begin|commit|rollback)\b/i;
