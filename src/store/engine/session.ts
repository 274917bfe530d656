import type { CompiledQuery, QueryResult } from 'kysely';
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
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()];
  const driver = new DummyDriver();
  let listener: Parameters<Store['onStatement']>[0] | undefined;

  /** Statements outside transactions. */
  function open(run: Run): Db {
    const connection = {
      executeQuery: <Row>({ sql, parameters }: CompiledQuery) => run<Row>(sql, parameters),
      streamQuery(): never {
        throw new StoreError('store-failed', 'lists are read page by page');
      },
    };
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: (use) => use(connection),
    });
    return new Kysely<Schema>({ config: { dialect }, driver, dialect, executor });
  }

  return {
    open,
    /** Calls `listen` after every statement from now on. */
    onStatement(listen: typeof listener) {
      listener = listen;
    },
    /** Runs statements as `run` does, for the listener to see. */
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
          listener?.({ verb, durationMs: performance.now() - beganAt, hasFailed });
        }
      };
    },
    /** Runs `work` in a transaction. What is kept of its `tx` is of no use afterwards. */
    async transact<T>(
      run: Run,
      { begin, commit, undo }: { begin: string; commit: string; undo(): Promise<unknown> },
      work: (tx: Db) => Promise<T>,
    ): Promise<T> {
      let over: 'committed' | 'undone' | undefined;
      const tx = open(async (text, values) => {
        if (over === undefined) return run(text, values);
        throw new StoreError('store-failed', `the write is already ${over}`);
      });
      await run(begin, []);
      try {
        const result = await work(tx);
        await run(commit, []);
        over = 'committed';
        return result;
      } catch (error) {
        over = 'undone';
        await undo();
        throw error;
      }
    },
  };
}

/** The first word of a statement. A `with` may read or change; a change is made with its own word first. */
const VERB = /^\s*(select|insert|update|delete|begin|commit|rollback)\b/i;
